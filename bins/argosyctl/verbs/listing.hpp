// SPDX-License-Identifier: Apache-2.0
// Shows lists for all verbs, in the format that was asked for.
#pragma once

#include <map>
#include <string>
#include <utility>
#include <vector>

#include "bins/argosyctl/output/table.hpp"
#include "bins/argosyctl/verbs/session.hpp"

namespace argosy::ctl {

/// The rows of a list, and for the formats that need them the names and JSON objects of the same
/// things in the same order.
struct listing {
  explicit listing(std::vector<column> columns) : rows(std::move(columns)) {}

  table rows;
  std::vector<std::string> names;  ///< Names such as "queue/a".
  std::vector<std::string> json;
  /// The titles and texts that describe adds to the columns of each thing; may be empty.
  std::vector<std::vector<std::pair<std::string, std::string>>> details{};
  /// What describe prints behind a thing, by its index: a title and a table.
  std::map<std::size_t, std::pair<std::string, table>> tables{};
  /// One thing was named, so that its JSON is the object itself and not a list.
  bool bare = false;
  std::string hint{};  ///< A hint for people at a terminal; may be empty.
  /// A notice for whoever reads the table, in a file or on a terminal; may be empty.
  std::string notice{};
};

/// Keeps the things with these indexes, in this order.
void arrange(listing& items, const std::vector<std::size_t>& order);

/// Sorts the list by --sort-by, if given, and keeps the columns that -o names, if any.
/// ec::invalid_argument for an unknown column.
result<void> settle_listing(const session& s, listing& items);

/// Writes the list to the session's output, in the format that was asked for.
void show(session& s, const listing& items);

/// Ends the output of a list with what is said beside it: its notice, if it is a table, and its
/// hint.
void show_remarks(session& s, const listing& items);

/// The options of tables that follow from the flags and the terminal.
[[nodiscard]] table_options table_options_of(const session& s);
/// The table in the format that was asked for, which is a table or CSV.
[[nodiscard]] std::string table_text(const session& s, const table& rows);
void show_table(session& s, const table& rows);

/// The indexes of the rows with one of these names, in the order of the names; all rows when no
/// name is given. `kind` is such as "queue", `plain` has the names without the kind. ec::not_found
/// names the closest name.
[[nodiscard]] result<std::vector<std::size_t>> pick_named(const std::vector<std::string>& wanted,
                                                          const std::vector<std::string>& plain,
                                                          std::string_view kind);

}  // namespace argosy::ctl
