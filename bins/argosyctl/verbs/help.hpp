// SPDX-License-Identifier: Apache-2.0
// Makes the text of --help and the topics of `help`.
#pragma once

#include <CLI/CLI.hpp>
#include <cstddef>
#include <optional>
#include <string>
#include <string_view>

namespace argosy::ctl {

inline constexpr auto global_flags_group = "Global flags";

/// The help of a verb or of the program: its purpose, its words, examples, its own flags and those
/// that all verbs have, in lines of at most `width` columns (0: 100). The app's footer holds the
/// examples, one on each line.
[[nodiscard]] std::string help_text(const CLI::App& app, std::size_t width);

/// The text of a topic such as "exit-codes"; nothing if there is no such topic.
[[nodiscard]] std::optional<std::string> help_topic(std::string_view name);

/// The names of all topics: "exit-codes, contexts, output".
[[nodiscard]] std::string help_topic_names();

/// The words that lead to a verb: "get jobs"; empty for the program itself.
[[nodiscard]] std::string path_of(const CLI::App* app);

}  // namespace argosy::ctl
