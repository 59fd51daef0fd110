// SPDX-License-Identifier: Apache-2.0
// What --help prints, and the topics of `help`.
#pragma once

#include <CLI/CLI.hpp>
#include <cstddef>
#include <optional>
#include <string>
#include <string_view>

namespace argosy::ctl {

inline constexpr auto global_flags_group = "Global flags";

/// The help of a verb or of the program: what it is for, its words, examples, flags of its own and
/// those that all verbs have, in lines of at most `width` columns (0: 100). The app's footer holds
/// the examples, a line each.
[[nodiscard]] std::string help_text(const CLI::App& app, std::size_t width);

/// The text of a topic such as "exit-codes"; nothing if there is no such topic.
[[nodiscard]] std::optional<std::string> help_topic(std::string_view name);

/// "exit-codes, contexts, output"
[[nodiscard]] std::string help_topic_names();

/// "get jobs"; empty for the program itself.
[[nodiscard]] std::string path_of(const CLI::App* app);

}  // namespace argosy::ctl
