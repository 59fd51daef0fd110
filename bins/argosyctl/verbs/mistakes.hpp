// SPDX-License-Identifier: Apache-2.0
// What is wrong with the words of a command line, and what was probably meant.
#pragma once

#include <CLI/CLI.hpp>
#include <optional>
#include <string>
#include <vector>

#include "runtime/base/error.hpp"

namespace argosy::ctl {

/// What is wrong with the words after the parser was content with them, or nothing. The parser may
/// leave the `--` that ends the flags among those that it did not know. `at` is the sub-command
/// that was entered last.
[[nodiscard]] std::optional<error> leftover_words(const CLI::App& app, const CLI::App& at,
                                                  const std::vector<std::string>& words);

/// What the parser says, in our words: it calls a missing argument by the name of our variable.
[[nodiscard]] std::string parser_message(const CLI::App& app, const CLI::ParseError& said);

/// The command of ours that does what a word of another batch system or of kubectl says, in front
/// of `verb` "get" or others; empty if the word is none of theirs.
[[nodiscard]] std::string foreign_meaning(const std::string& verb, const std::string& word);

}  // namespace argosy::ctl
