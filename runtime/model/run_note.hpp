// SPDX-License-Identifier: Apache-2.0
// The notes of a run, which its record keeps as one text.
#pragma once

#include <string_view>

namespace argosy::model {

/// The note that came last; empty if there is none.
[[nodiscard]] inline std::string_view last_note(std::string_view notes) noexcept {
  constexpr std::string_view divider = "; ";
  const auto at = notes.rfind(divider);
  return at == std::string_view::npos ? notes : notes.substr(at + divider.size());
}

}  // namespace argosy::model
