// SPDX-License-Identifier: Apache-2.0
// Durations as people type them.
#pragma once

#include <chrono>
#include <string_view>

#include "runtime/base/result.hpp"

namespace argosy {

/// Reads a duration: "30", "30s", "1.5m", "500ms", "2h", "1d"; a number alone is seconds.
/// ec::invalid_argument for anything else, for negative values and for more than 1,000 days.
[[nodiscard]] result<std::chrono::milliseconds> parse_duration(std::string_view text);

}  // namespace argosy
