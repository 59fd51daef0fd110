// SPDX-License-Identifier: Apache-2.0
// Brings the keys of a screen to the state of `top`, and what was read to the screen.
#pragma once

#include "bins/argosyctl/verbs/session.hpp"
#include "bins/argosyctl/verbs/top/background_reader.hpp"
#include "bins/argosyctl/verbs/top/screen.hpp"
#include "bins/argosyctl/verbs/top/top_state.hpp"

namespace argosy::ctl {

/// Goes on until the user leaves, by a key (success) or by Ctrl-C (interrupted), or until
/// --timeout is over (timed_out).
[[nodiscard]] exit_code run_top(const session& s, screen& on, top_state& state,
                                background_reader& reader);

}  // namespace argosy::ctl
