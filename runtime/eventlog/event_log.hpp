// SPDX-License-Identifier: Apache-2.0
// This file declares the seam to the log. The log is one sequence of records, each a batch of
// events, whose positions count from 1 without gaps. One implementation is in memory, the other on
// JetStream.
//
// All functions block, so that only detached actors should call them. One thread may append while
// another reads; two threads must not append, nor two read, at the same time.
#pragma once

#include <chrono>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "runtime/base/result.hpp"
#include "runtime/bus/headers.hpp"
#include "runtime/model/identifiers.hpp"

namespace argosy::eventlog {

struct log_info {
  /// The Unix time at which the log was created. A different time means a different log.
  std::int64_t created_ns = 0;
  model::log_position first_position{1};  ///< It is last_position + 1 when the log is empty.
  model::log_position last_position{};    ///< It is the base when nothing was ever appended.
  /// The message id of the record at last_position; empty when there is none.
  std::string last_msg_id{};
  std::uint64_t bytes = 0;  ///< The bytes that the records take on disk.
  /// The largest value of `bytes`, above which nothing is appended. 0 means that there is no limit.
  std::uint64_t bytes_max = 0;
  /// What earlier generations take of the room for all together.
  std::uint64_t older_bytes = 0;
};

struct record {
  model::log_position position{};
  std::int64_t time_ns = 0;  ///< The Unix time at which the log took the record.
  std::string msg_id{};
  std::string data{};
};

/// The log. All functions may fail with ec::unreachable when there is no server, ec::unavailable
/// when the server is there but the log is not ready, ec::timeout when the outcome is unknown, and
/// ec::cancelled when the log was closed.
class event_log {
 public:
  virtual ~event_log() = default;

  /// Lists the generations of the logs that there are, ascending. A log of the next generation
  /// replaces one that was lost. None is chosen or changed.
  [[nodiscard]] virtual result<std::vector<model::log_generation>> generations() = 0;

  /// All other functions are about the log of this generation from now on, which need not exist.
  /// Its first record has the position behind `base`, so that positions go on over generations. At
  /// first generation 1 with base 0 is chosen. No other call may be under way.
  virtual void choose(model::log_generation generation, model::log_position base) = 0;

  /// Creates the chosen log if it is absent; nothing else does. Fails with ec::conflict if it
  /// exists with settings under which records could be lost, and with ec::out_of_space if the
  /// server has no room for it.
  virtual result<void> create() = 0;

  /// Asks the server about the log. Fails with ec::not_found if there is none.
  [[nodiscard]] virtual result<log_info> info() = 0;

  /// Checks the settings of the log as create() does, and gives it the limits with which it was
  /// opened. Only the process that is to lead calls it. Fails with ec::invalid_argument if the log
  /// holds too much for a smaller limit, and with ec::out_of_space if the server has no room for a
  /// larger one.
  virtual result<void> apply_limits() { return {}; }

  /// Returns the position of the last record, or 0 when there is none. It costs less than info(),
  /// and fails at once with ec::unreachable while there is no link.
  [[nodiscard]] virtual result<model::log_position> last_position() = 0;

  /// Appends one record if the log ends at expected_last_position, and returns its position, which
  /// is expected_last_position + 1. A call that timed out may be repeated: if the log has the same
  /// bytes with the same msg_id there, that is the record. Only one call at a time is allowed.
  /// Fails with ec::fenced when the log is longer, since another process wrote, or has other bytes
  /// with that msg_id there; ec::conflict when the log is shorter, since it has regressed, or when
  /// the msg_id stands elsewhere; ec::out_of_space when the log or its disk is full; ec::too_large
  /// above max_record_bytes(); ec::timeout when it is unknown whether the record was stored.
  [[nodiscard]] virtual result<model::log_position> append(
      model::log_position expected_last_position, std::string_view msg_id, std::string_view data,
      const bus::headers& with = {}) = 0;

  /// Returns the records from from_position (at least 1) on, without gaps: at most max_records, and
  /// no further one once max_bytes are reached. Waits up to `wait` for the first, and returns an
  /// empty vector when none comes in that time. Fails with ec::conflict when the log ends before
  /// from_position - 1, and with ec::corrupt when a record inside the log is missing.
  [[nodiscard]] virtual result<std::vector<record>> read(model::log_position from_position,
                                                         std::size_t max_records,
                                                         std::size_t max_bytes,
                                                         std::chrono::milliseconds wait) = 0;

  /// Returns one record. Fails with ec::not_found if the log has none at that position.
  [[nodiscard]] virtual result<record> get(model::log_position position) = 0;

  /// The longest data that append() takes, in bytes.
  [[nodiscard]] virtual std::size_t max_record_bytes() const = 0;

  /// Makes blocked calls return soon and all later ones fail, with ec::cancelled. May be called
  /// from any thread.
  virtual void close() = 0;
};

}  // namespace argosy::eventlog
