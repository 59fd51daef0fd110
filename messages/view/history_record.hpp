// SPDX-License-Identifier: Apache-2.0
// This file declares the records of table history: what one batch added of one kind, under the
// kind's prefix and the position of the batch in the log. It is private to messages/view.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "runtime/base/result.hpp"
#include "runtime/store/database.hpp"

namespace argosy::view {

struct history_record {
  std::string key;
  model::log_position position{};
  std::int64_t time_ns = 0;
  std::vector<std::string> items;
};

/// Fails with ec::corrupt when the key has no position or the value does not decode.
[[nodiscard]] result<history_record> decode_history_record(const store::entry& entry);
/// The time of the record alone, however many items it has.
[[nodiscard]] result<std::int64_t> history_time(std::string_view value);

/// Writes the record; nothing is written without items.
result<void> put_history_record(store::write_txn& txn, std::string_view prefix,
                                model::log_position position, std::int64_t time_ns,
                                const std::set<std::string>& items);

/// The oldest record under the prefix; nothing when there is none.
[[nodiscard]] result<std::optional<history_record>> oldest_record(store::read_txn& txn,
                                                                  std::string_view prefix);

/// Erases what an item names and returns how many records that were.
using item_eraser =
    std::function<result<std::size_t>(const history_record& of, const std::string& item)>;

/// Erases what the records under the prefix name, and the records, the oldest first, as long as
/// they are older and the room for erased records lasts. What one record names goes as a whole.
result<void> expire_records(store::write_txn& txn, std::string_view prefix, std::int64_t before_ns,
                            std::size_t& room, const item_eraser& erase_item);

}  // namespace argosy::view
