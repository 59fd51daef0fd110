// SPDX-License-Identifier: Apache-2.0
// Says what is wrong with the words of a command line, and what was probably meant.
#pragma once

#include <CLI/CLI.hpp>
#include <optional>
#include <string>
#include <vector>

#include "runtime/base/error.hpp"

namespace argosy::ctl {

/// What is wrong with the words that the parser accepted, or nothing. The parser may leave the `--`
/// that ends the flags among the words that it did not know. `at` is the sub-command that was
/// entered last.
[[nodiscard]] std::optional<error> leftover_words(const CLI::App& app, const CLI::App& at,
                                                  const std::vector<std::string>& words);

/// What the parser says, in the words of argosyctl: the parser calls a missing argument by the name
/// of a variable in the code.
[[nodiscard]] std::string parser_message(const CLI::App& app, const CLI::ParseError& said);

/// The command of argosyctl that does what a word of another batch system or of kubectl means when
/// it stands behind `verb`, such as "get". Empty if no other system has the word.
[[nodiscard]] std::string foreign_meaning(const std::string& verb, const std::string& word);

}  // namespace argosy::ctl
