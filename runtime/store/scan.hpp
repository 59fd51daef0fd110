// SPDX-License-Identifier: Apache-2.0
// Walks over parts of a table, on top of cursors.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include "runtime/store/database.hpp"

namespace argosy::store {

/// Returns whether to go on.
using scan_visitor = std::function<bool(const entry&)>;

/// All entries whose key starts with the prefix, ascending, from `from` on if it is not empty
/// (`from` is a whole key). An empty prefix is the whole table.
result<void> scan(read_txn& txn, table in, std::string_view prefix, const scan_visitor& visit,
                  std::string_view from = {});

/// The same, descending, beginning before `before` if it is not empty.
result<void> scan_reverse(read_txn& txn, table in, std::string_view prefix,
                          const scan_visitor& visit, std::string_view before = {});

/// All entries of a table, ascending, from the key `from` on if it is not empty, until `take` fails
/// for one; `take` gets the entry and returns result<void>. Returns that failure.
template <class Take>
result<void> each(read_txn& txn, table in, Take take, std::string_view from = {}) {
  result<void> outcome;
  auto scanned = scan(
      txn, in, {},
      [&](const entry& found) {
        outcome = take(found);
        return outcome.has_value();
      },
      from);
  return scanned ? outcome : scanned;
}

/// The entry with the greatest key under the prefix. The views live as long as the transaction.
[[nodiscard]] result<std::optional<entry>> last(read_txn& txn, table in,
                                                std::string_view prefix = {});

/// Erases the keys from `from` up to, not including, `to`; at most `limit`. Returns how many. For
/// trimming a table in transactions of bounded size.
result<std::size_t> erase_range(write_txn& txn, table in, std::string_view from,
                                std::string_view to, std::size_t limit);

}  // namespace argosy::store
