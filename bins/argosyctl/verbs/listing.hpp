// SPDX-License-Identifier: Apache-2.0
// How every verb that lists things shows them, in whatever format was asked for.
#pragma once

#include <string>
#include <vector>

#include "bins/argosyctl/output/table.hpp"
#include "bins/argosyctl/verbs/session.hpp"

namespace argosy::ctl {

/// Rows, and for the formats that need them, names and JSON objects of the same things in the same
/// order.
struct listing {
  explicit listing(std::vector<column> columns) : rows(std::move(columns)) {}

  table rows;
  std::vector<std::string> names;  ///< "queue/a"
  std::vector<std::string> json;
  bool bare = false;     ///< One thing was named: its JSON is the object itself and not a list.
  std::string hint{};    ///< For people at a terminal; may be empty.
  std::string notice{};  ///< For whoever reads the table, in a file or on a terminal; may be empty.
};

/// Keeps what is named by its index, in this order.
void arrange(listing& items, const std::vector<std::size_t>& order);

/// Sorts by --sort-by, if given. ec::invalid_argument for an unknown column.
result<void> sort_listing(const session& s, listing& items);

/// Writes it.
void show(session& s, const listing& items);

/// How the flags and the terminal want tables.
[[nodiscard]] table_options table_options_of(const session& s);
[[nodiscard]] std::string table_text(const session& s, const table& rows);
void show_table(session& s, const table& rows);

/// Keeps the rows with one of these names, in the order of the names; all when there are none.
/// `kind` is "queue", `plain` the names without the kind. ec::not_found, with the closest name.
[[nodiscard]] result<std::vector<std::size_t>> pick_named(const std::vector<std::string>& wanted,
                                                          const std::vector<std::string>& plain,
                                                          std::string_view kind);

}  // namespace argosy::ctl
