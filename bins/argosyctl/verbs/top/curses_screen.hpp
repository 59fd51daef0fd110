// SPDX-License-Identifier: Apache-2.0
// The user's terminal as a screen, by ncurses.
#pragma once

#include <memory>
#include <string>

#include "bins/argosyctl/verbs/top/screen.hpp"
#include "runtime/base/result.hpp"

namespace argosy::ctl {

/// Takes the terminal until the screen is destroyed, which leaves it as it was. There can be one at
/// a time. ec::unavailable if ncurses does not know `terminal_type`, which is the value of TERM.
[[nodiscard]] result<std::unique_ptr<screen>> open_terminal(const std::string& terminal_type,
                                                            bool colours);

}  // namespace argosy::ctl
