// SPDX-License-Identifier: Apache-2.0
// The whole program behind main(): it takes words and gives output and an exit code.
#pragma once

#include <string>
#include <vector>

#include "bins/argosyctl/verbs/session.hpp"

namespace argosy::ctl {

/// `words` are the arguments without the program's name.
[[nodiscard]] exit_code run_cli(std::vector<std::string> words, session& s);

}  // namespace argosy::ctl
