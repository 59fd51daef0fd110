// SPDX-License-Identifier: Apache-2.0
// Says what the screens of `top` show, and where its keys lead. Each screen shows the output of
// another verb, so that nothing is shown here that could not be asked for by a script.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace argosy::ctl {

struct screen_source {
  /// Says whether the verb gives a list, which can be sorted and searched, or text.
  enum class kind : std::uint8_t { list, text };

  kind gives = kind::list;
  std::vector<std::string> words;  ///< The command line, without the program's name.
  /// The column by which the list is sorted at first, as --sort-by has it; empty: as it comes.
  std::string sort_by{};

  friend bool operator==(const screen_source&, const screen_source&) = default;
};

/// A list that a key of its own leads to from everywhere.
struct top_view {
  char key;
  std::string_view name;  ///< As `argosyctl top NAME` has it.
  std::string_view sort_by;
};

inline constexpr std::array<top_view, 4> top_views{{{'1', "queues", "-QUEUED"},
                                                    {'2', "nodes", "-RUNS"},
                                                    {'3', "rounds", ""},
                                                    {'4', "clusters", ""}}};

[[nodiscard]] screen_source source_of(const top_view& view);

/// The most jobs that a list of them has; so many that nobody scrolls through them.
inline constexpr int jobs_max = 1'000;

/// Leads into a thing that a list names, such as "queue/a": to the jobs of a queue or a node, the
/// nodes of a cluster, the reasons of a job, the details of a round. Nothing if `name` names
/// another kind of thing.
[[nodiscard]] std::optional<screen_source> source_inside(std::string_view name);

/// Leads to what `describe` says about the thing; nothing if `name` names another kind.
[[nodiscard]] std::optional<screen_source> source_about(std::string_view name);

/// The command line that shows the same outside of `top`.
[[nodiscard]] std::string command_line(const screen_source& source);

}  // namespace argosy::ctl
