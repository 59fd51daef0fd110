// SPDX-License-Identifier: Apache-2.0
// Completion in the shell: a script asks the hidden verb __complete, which walks the tree of verbs
// and flags and asks the server for names of queues and ids of jobs.
#pragma once

#include <string>
#include <vector>

#include "bins/argosyctl/verbs/command.hpp"

namespace argosy::ctl {

// The scripts that the shells load.
[[nodiscard]] std::string bash_script();
[[nodiscard]] std::string zsh_script();
[[nodiscard]] std::string fish_script();

/// Candidates for the last of the words (which may be empty), given those before it. A last line
/// ":files" asks for names of files instead.
[[nodiscard]] std::vector<std::string> candidates(const std::vector<std::string>& words,
                                                  const CLI::App& app, const command_set& commands,
                                                  session& s);

/// Prints the candidates. It never fails, since completion must not disturb the shell.
exit_code complete_words(std::vector<std::string> words, const CLI::App& app, command_set& commands,
                         session& s);

}  // namespace argosy::ctl
