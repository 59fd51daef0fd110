// SPDX-License-Identifier: Apache-2.0
// This file declares how a text is read that has to be one whole number.
#pragma once

#include <charconv>
#include <concepts>
#include <optional>
#include <string_view>

namespace argosy {

/// The number that the whole text is, in digits of this base, 2 to 36, behind a '-' if T has a
/// sign. Nothing for any other text, an empty one among them, and for a number that T does not
/// hold.
template <std::integral T>
[[nodiscard]] std::optional<T> whole_number(std::string_view text, int base = 10) noexcept {
  T number{};
  const auto* const end = text.data() + text.size();
  const auto [last, code] = std::from_chars(text.data(), end, number, base);
  if (code != std::errc{} || last != end) return std::nullopt;
  return number;
}

}  // namespace argosy
