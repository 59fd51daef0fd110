// SPDX-License-Identifier: Apache-2.0
// The characters of which most names are made.
#pragma once

namespace argosy::model {

/// Whether it is one of a to z or 0 to 9.
[[nodiscard]] constexpr bool is_alphanumeric(char c) noexcept {
  return (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9');
}

}  // namespace argosy::model
