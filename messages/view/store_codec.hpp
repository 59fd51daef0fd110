// SPDX-License-Identifier: Apache-2.0
// This file declares the records of the view. It turns changes of the ledger into puts and erases,
// and records back into values. Keys and values of every table are defined here and nowhere else.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "runtime/base/result.hpp"
#include "runtime/ledger/change.hpp"
#include "runtime/store/database.hpp"

namespace argosy::view {

/// Where in the log an event stands.
struct event_place {
  std::uint64_t position = 0;
  std::uint32_t index = 0;
};

/// How far the view has come. It is one record of the table meta.
struct view_position {
  std::uint64_t position = 0;  ///< The position of the last applied record, or 0 if there is none.
  std::uint32_t generation = 1;
  std::uint64_t epoch = 0;
  std::uint64_t batch_number = 0;
  std::uint64_t hash = 0;
  std::int64_t stream_created_ns = 0;
  std::string holder;
};

/// A raw batch of the tail.
struct tail_record {
  std::uint64_t position = 0;
  std::string message_id;
  std::int64_t time_ns = 0;
  std::string batch;
};

/// Carries out one change in the transaction. `place` is used by index_event.
result<void> write_change(store::write_txn& txn, const ledger::change& change, event_place place);

result<void> write_position(store::write_txn& txn, const view_position& position);
/// Returns nothing when the store is new.
[[nodiscard]] result<std::optional<view_position>> read_position(store::read_txn& txn);

result<void> write_tail(store::write_txn& txn, const tail_record& record);
[[nodiscard]] result<tail_record> decode_tail(const store::entry& entry);

/// These turn records into values. `with_spec` also reads the specification into the header.
[[nodiscard]] result<model::job_record> decode_job(store::read_txn& txn, std::string_view value,
                                                   bool with_spec);
[[nodiscard]] result<model::queue_settings> decode_queue(std::string_view value);
[[nodiscard]] result<ledger::put_queue_totals> decode_queue_totals(const store::entry& entry);
[[nodiscard]] result<ledger::put_client_id> decode_client_id(const store::entry& entry);
[[nodiscard]] result<ledger::put_cluster> decode_cluster(std::string_view value);
[[nodiscard]] result<ledger::put_node> decode_node(const store::entry& entry);

/// The key of a job in the tables of jobs. It refers to the bytes of `id`.
[[nodiscard]] std::string_view job_key(const ulid& id);
/// A key of table client_ids.
[[nodiscard]] std::string client_id_key(std::string_view queue, std::string_view client_id);
/// The bytes that a hash has in a key.
inline constexpr std::size_t hash_size = 16;

/// The key prefix of a job set's events: 16 bytes of hash over queue and job set.
[[nodiscard]] std::string event_prefix(std::string_view queue, std::string_view job_set);
/// Decodes the key of an entry of table events.
[[nodiscard]] result<event_place> event_place_of(std::string_view key);
/// The prefix under which all job ids of a set stand in table job_sets, whose key is queue, NUL,
/// hash of the job set (16 bytes), job id (16 bytes).
[[nodiscard]] std::string job_set_prefix(std::string_view queue, std::string_view job_set);

}  // namespace argosy::view
