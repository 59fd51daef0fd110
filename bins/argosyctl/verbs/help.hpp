// SPDX-License-Identifier: Apache-2.0
// Makes the text of --help and the topics of `help`.
#pragma once

#include <CLI/CLI.hpp>
#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace argosy::ctl {

inline constexpr auto global_flags_group = "Global flags";

struct help_line {
  std::string left;   ///< The flag or word.
  std::string right;  ///< Its meaning.
};

struct help_section {
  std::string title;
  std::vector<help_line> lines;
};

/// The words, kinds or verbs, own flags and global flags of a verb, as its help and its man page
/// have them.
[[nodiscard]] std::vector<help_section> help_sections(const CLI::App& app);
/// How the verb is written: "argosyctl get KIND [flags]".
[[nodiscard]] std::string usage_of(const CLI::App& app);
/// The examples in the app's footer, one on each line.
[[nodiscard]] std::vector<std::string> examples_of(const CLI::App& app);

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
