// SPDX-License-Identifier: Apache-2.0
// This file declares how recovery and checks read a log: record by record, in pieces, and the
// beginning of a later generation.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "runtime/base/result.hpp"
#include "runtime/eventlog/event_log.hpp"
#include "runtime/model/event.hpp"

namespace argosy::view {

/// At most so many records at one end of a log are looked at for a batch that tells whose it is.
inline constexpr std::uint64_t looked_at_max = 1'000;

/// Returns the record; nothing if the log counts it and does not give it, since its files are
/// damaged. Fails with the other errors of the log.
[[nodiscard]] result<std::optional<eventlog::record>> find_record(eventlog::event_log& log,
                                                                  model::log_position position);

/// A sentence, without a full stop, about a record that find_record() does not find.
[[nodiscard]] std::string unreadable_record(model::log_position position);

/// A piece of a log.
struct log_piece {
  /// Its records, without gaps; empty if the log counts all records of the piece and gives none.
  std::vector<eventlog::record> records;
  model::log_position next{};  ///< The position behind it.
};

/// Returns the piece from this position on, which has at least one record or one gap. The log ends
/// at `last`, which is not before the position. Fails with ec::unavailable if the log gives
/// nothing, and with the errors of the log.
[[nodiscard]] result<log_piece> read_on(eventlog::event_log& log, model::log_position position,
                                        model::log_position last);

/// The beginning of a later generation of the log.
struct later_beginning {
  model::generation_begun begun;
  std::uint64_t previous_hash = 0;  ///< The hash of the batch that its first one continues.
  bool ours = false;                ///< Whether it has the MAC of our key.
  model::epoch epoch{};             ///< The epoch of that first one.
  /// A sentence, without a full stop, if nobody can tell where it begins. Then only the generation
  /// is known of it.
  std::string problem{};
};

/// Decides whether the batch of a record may tell where a generation begins.
using beginning_filter = std::function<bool(const eventlog::record&, const model::log_batch&)>;

/// Finds the record among the first ones of the chosen log that tells where its generation begins.
/// `later_beginning::ours` is left false. Fails with the errors of the log, and with ec::corrupt if
/// there is none and a record that might be it cannot be read.
[[nodiscard]] result<std::optional<later_beginning>> find_beginning(eventlog::event_log& log,
                                                                    const eventlog::log_info& info,
                                                                    const beginning_filter& counts);

}  // namespace argosy::view
