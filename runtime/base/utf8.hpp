// SPDX-License-Identifier: Apache-2.0
// This file says whether bytes are text. Requests hold nothing else.
#pragma once

#include <string_view>

#include "runtime/base/text.hpp"

namespace argosy {

[[nodiscard]] inline bool is_utf8(std::string_view text) noexcept {
  while (!text.empty()) {
    const auto first = first_character(text);
    if (!first.valid) return false;
    text.remove_prefix(first.size);
  }
  return true;
}

}  // namespace argosy
