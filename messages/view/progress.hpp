// SPDX-License-Identifier: Apache-2.0
// This file declares the record of how far the view has come in the log, and those of the tail: a
// copy of the newest records of the log, byte by byte. Some of them may be written before the log
// has taken them, and some are no batches of the chain and were stepped over.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "runtime/base/log_time.hpp"
#include "runtime/base/result.hpp"
#include "runtime/eventlog/event_log.hpp"
#include "runtime/model/event.hpp"
#include "runtime/model/lineage.hpp"
#include "runtime/store/database.hpp"

namespace argosy::view {

/// How far the view has come; one record of table meta.
struct view_position {
  model::log_position position{};  ///< The position of the last applied record; 0: none.
  model::log_generation generation{1};
  model::epoch epoch{};
  std::uint64_t batch_number = 0;
  std::uint64_t hash = 0;
  std::int64_t stream_created_ns = 0;
  std::string holder;
  std::string control_plane{};            ///< The id of the control plane; empty: it has none yet.
  model::log_position generation_base{};  ///< The last position before the generation.
  /// The print of the key of which the last batch has a MAC, see codec::log_key; 0: it has none.
  std::uint64_t key_print = 0;
  bool sealed = false;  ///< The last applied batch is the seal of its generation.
  /// Not 0: the last applied batch begins a generation from a store, and the log may have had other
  /// records before, from this position on.
  model::log_position joins_at{};
  model::log_position events_gone{};   ///< The last one whose events have expired; 0: none have.
  std::vector<model::plane> planes{};  ///< model::planes_changed::planes
  /// The planes before changes of which it is not known that they are committed.
  std::vector<std::vector<model::plane>> planes_before{};

  /// All sets of planes that count; none if no planes are named.
  [[nodiscard]] std::vector<std::vector<model::plane>> plane_sets() const {
    auto out = planes_before;
    out.push_back(planes);
    std::erase_if(out, [](const auto& set) { return set.empty(); });
    return out;
  }
  [[nodiscard]] model::record_name name() const { return {epoch, position, hash}; }
};

/// The log clock when the last batch was applied; one record of table meta. It is of the process
/// that wrote it and no part of the view.
result<void> write_clock(store::write_txn& txn, const clock_mark& mark);
/// Returns nothing when no process has written it.
[[nodiscard]] result<std::optional<clock_mark>> read_clock(store::read_txn& txn);

/// Says that the store is a copy from a backup. The log may have been far ahead of it, so that a
/// log that is gone, or ends before it, is not begun anew without an operator's word. It is one
/// record of table meta, and is erased when recovery has joined the store to a log.
struct copy_mark {
  std::int64_t time_ns = 0;  ///< The Unix time of the backup.
};

result<void> write_copy_mark(store::write_txn& txn, const copy_mark& mark);
/// Returns nothing when the store is no copy.
[[nodiscard]] result<std::optional<copy_mark>> read_copy_mark(store::read_txn& txn);
[[nodiscard]] result<std::optional<copy_mark>> read_copy_mark(store::database& database);
/// Erases it in a transaction of its own.
result<void> erase_copy_mark(store::database& database);

/// Marks the store for the plane whose it is, in a transaction of its own. A backup has no mark.
result<void> write_plane_mark(store::database& database, const std::string& mark);
/// Empty: it has none.
[[nodiscard]] result<std::string> read_plane_mark(store::database& database);

result<void> write_position(store::write_txn& txn, const view_position& position);
/// Returns nothing when the store is new.
[[nodiscard]] result<std::optional<view_position>> read_position(store::read_txn& txn);

/// Notes a claim of the lead, so that places of this history can be told from those of others.
result<void> add_claim(store::write_txn& txn, const model::claim_begin& claim);
/// Returns none when the store is new.
[[nodiscard]] result<model::lineage> read_lineage(store::read_txn& txn);

/// Puts a copy of the record into the tail, in place of another one at its position.
result<void> write_tail(store::write_txn& txn, const eventlog::record& record);
[[nodiscard]] result<eventlog::record> decode_tail(const store::entry& entry);

}  // namespace argosy::view
