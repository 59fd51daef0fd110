// SPDX-License-Identifier: Apache-2.0
// CLI11 takes a word such as "[a, b]" for a list and drops its brackets, so that a command
// `jq '[.a]'` would not run as it was typed. These functions hand it words that it leaves alone.
#pragma once

#include <CLI/CLI.hpp>
#include <string>
#include <vector>

namespace argosy::ctl {

/// The words with a mark behind each that ends as a list does.
[[nodiscard]] std::vector<std::string> marked_words(std::vector<std::string> words);

/// Removes the marks from a text in which the parser repeats words.
[[nodiscard]] std::string without_marks(std::string text);

/// Has all options of the app and its sub-commands remove the marks from what they are given.
void take_exact_words(CLI::App& app);

}  // namespace argosy::ctl
