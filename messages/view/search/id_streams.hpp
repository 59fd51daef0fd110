// SPDX-License-Identifier: Apache-2.0
// An id_stream gives the ids of jobs in their order, upwards or downwards, and leaps over those
// that are not wanted. Streams are joined by "or" and by "and"; a join by "and" looks at as many
// ids as its rarest stream has, and at few of the others.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "runtime/base/result.hpp"
#include "runtime/base/ulid.hpp"
#include "runtime/store/database.hpp"

namespace argosy::view {

enum class direction : std::uint8_t { up, down };

/// Whether `id` is `from` or comes behind it in the direction.
[[nodiscard]] inline bool is_at_or_past(const ulid& id, const ulid& from, direction way) noexcept {
  return way == direction::up ? id >= from : id <= from;
}

/// The id that comes behind this one in the direction; nothing behind the last one.
[[nodiscard]] std::optional<ulid> next_id(ulid id, direction way) noexcept;

/// Must not outlive its transaction.
class id_stream {
 public:
  virtual ~id_stream() = default;
  /// The first id at or past `from`, which must not lie before that of an earlier call.
  [[nodiscard]] virtual result<std::optional<ulid>> leap_to(const ulid& from) = 0;
  /// The record of the job that leap_to() gave, if the stream comes by it anyway.
  [[nodiscard]] virtual std::optional<std::string_view> record() const { return std::nullopt; }
};

using id_stream_ptr = std::unique_ptr<id_stream>;

/// The ids behind a prefix in the keys of a table, where they end the key. Of a table of jobs, the
/// stream has the records.
[[nodiscard]] result<id_stream_ptr> ids_in_table(store::read_txn& txn, store::table in,
                                                 std::string prefix, direction way);
/// These ids, in any order.
[[nodiscard]] id_stream_ptr ids_in_list(std::vector<ulid> ids, direction way);
/// Every id that one of the streams has, once.
[[nodiscard]] id_stream_ptr any_of(std::vector<id_stream_ptr> streams, direction way);
/// The ids that all streams have. There has to be one stream at least.
[[nodiscard]] id_stream_ptr all_of(std::vector<id_stream_ptr> streams);

}  // namespace argosy::view
