// SPDX-License-Identifier: Apache-2.0
// The log: one totally ordered sequence of records (batches of events), numbered from 1 without
// gaps. Implementations are in memory and JetStream.
//
// All functions block, so they belong into detached actors. One thread may append while another
// reads; two threads must not append, nor two read, at the same time.
#pragma once

#include <chrono>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "runtime/base/result.hpp"
#include "runtime/bus/headers.hpp"

namespace argosy::eventlog {

struct log_info {
  std::int64_t created_ns = 0;  ///< Unix time at which the log was made; another time, another log.
  std::uint64_t first_position = 1;  ///< last_position + 1 when empty.
  std::uint64_t last_position = 0;   ///< 0 when nothing was ever appended.
  std::string last_msg_id{};         ///< Of the record last_position; empty when there is none.
  std::uint64_t bytes = 0;           ///< What the records take on disk.
  std::uint64_t bytes_max = 0;       ///< Beyond it nothing is appended; 0: no limit.
};

struct record {
  std::uint64_t position = 0;
  std::int64_t time_ns = 0;  ///< Unix time at which the log took it.
  std::string msg_id{};
  std::string data{};
};

/// Common errors: ec::unreachable (no server), ec::unavailable (the server is there, the log is
/// not ready), ec::timeout (outcome unknown), ec::cancelled (closed).
class event_log {
 public:
  virtual ~event_log() = default;

  /// A log that is gone is made anew, empty: the new created_ns says so.
  [[nodiscard]] virtual result<log_info> info() = 0;

  /// The number of the last record, 0 when there is none. Cheaper than info(), and fails at once
  /// with ec::unreachable while there is no link.
  [[nodiscard]] virtual result<std::uint64_t> last_position() = 0;

  /// Appends one record if the log ends at expected_last_position, and returns its number, which is
  /// expected_last_position + 1. The same msg_id again at the same place is the same record:
  /// repeating a call that timed out is safe. One call at a time. ec::fenced: the log is longer,
  /// somebody else wrote. ec::conflict: the log is shorter, it has regressed; or the msg_id stands
  /// elsewhere. ec::out_of_space: the log or its disk is full. ec::too_large: over
  /// max_record_bytes(). ec::timeout: unknown whether it was stored.
  [[nodiscard]] virtual result<std::uint64_t> append(std::uint64_t expected_last_position,
                                                     std::string_view msg_id, std::string_view data,
                                                     const bus::headers& with = {}) = 0;

  /// The records from from_position (at least 1) on, without gaps: at most max_records, and no
  /// further one once max_bytes are reached. Waits up to `wait` for the first; nothing in that time
  /// is an empty vector. ec::conflict: the log ends before from_position - 1. ec::corrupt: a record
  /// inside the log is missing.
  [[nodiscard]] virtual result<std::vector<record>> read(std::uint64_t from_position,
                                                         std::size_t max_records,
                                                         std::size_t max_bytes,
                                                         std::chrono::milliseconds wait) = 0;

  /// One record. ec::not_found if the log has none of that number.
  [[nodiscard]] virtual result<record> get(std::uint64_t position) = 0;

  /// The longest data that append() takes, in bytes.
  [[nodiscard]] virtual std::size_t max_record_bytes() const = 0;

  /// Makes blocked calls return soon, and all later ones fail, with ec::cancelled. Any thread.
  virtual void close() = 0;
};

}  // namespace argosy::eventlog
