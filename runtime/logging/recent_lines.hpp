// SPDX-License-Identifier: Apache-2.0
// The last lines that this process has logged, kept for whoever asks for them later.
#pragma once

#include <string>
#include <vector>

namespace argosy::logging {

/// How many lines are kept, and how many bytes of each.
inline constexpr std::size_t recent_lines_max = 1'000;
inline constexpr std::size_t recent_line_bytes_max = 2'000;

/// The oldest first, as they were written, but without colours.
[[nodiscard]] std::vector<std::string> recent_lines();

}  // namespace argosy::logging
