// SPDX-License-Identifier: Apache-2.0
// The names of things that the shell may complete. Whatever cannot be found out within a second is
// left out.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "bins/argosyctl/verbs/session.hpp"

namespace argosy::ctl {

/// Adds the word if it goes on from what was begun and is not there yet.
void add_if(std::vector<std::string>& out, const std::string& word, const std::string& begun);

/// Returns the names of the things of this kind that go on from what was begun. `what` is a word of
/// command::completes(): "queues", "jobs", "nodes" and so on; another word gives none.
[[nodiscard]] std::vector<std::string> names_of(session& s, std::string_view what,
                                                const std::string& begun);

}  // namespace argosy::ctl
