// SPDX-License-Identifier: Apache-2.0
// This file tells how a store and the logs beside it relate, and what follows from that. The store
// is the durable copy of the state: a log that has lost more than the store can give back is
// replaced by a new one, the next generation, which begins where the store ends.
#pragma once

#include <cstdint>
#include <limits>
#include <optional>
#include <string>
#include <vector>

#include "messages/codec/log/batch_mac.hpp"
#include "messages/view/progress.hpp"
#include "messages/view/recovery/log_reading.hpp"
#include "runtime/base/result.hpp"
#include "runtime/eventlog/event_log.hpp"
#include "runtime/model/event.hpp"
#include "runtime/store/database.hpp"

namespace argosy::view {

/// The log of the store's own generation, compared with the store.
enum class log_match : std::uint8_t {
  absent,       ///< There is no such log.
  continues,    ///< It holds the batch with which the store ends.
  repairable,   ///< It ends before that, and the tail has all that it lacks.
  behind,       ///< It ends before that and before the tail begins, and holds no batch of others.
                ///< It is also this if the log counts its last record and does not give it.
  contradicts,  ///< It has another record where the store's last batch stood, or before the tail.
  of_others,    ///< It holds batches, and none of them is known to be ours.
};

/// A log of a later generation, compared with the store.
enum class later_log : std::uint8_t {
  none,
  continues,  ///< It began where the store ends.
  farther,    ///< It began elsewhere.
};

enum class log_plan : std::uint8_t {
  create,      ///< Make the first log.
  go_on,       ///< Apply what the log has beyond the store.
  repair,      ///< Append from the tail what the log lacks, and go on.
  follow,      ///< Go over to the later log.
  begin_anew,  ///< Begin the next generation from the store.
  refuse,      ///< Only an operator can say what may be lost.
};

/// The records of the tail behind a position, up to another one. Fails with ec::corrupt and the
/// errors of the store.
[[nodiscard]] result<std::vector<eventlog::record>> read_tail(
    store::database& database, model::log_position after,
    model::log_position until = {std::numeric_limits<std::uint64_t>::max()});

/// Returns the tail's record at this position, if it has one. Fails as read_tail() does.
[[nodiscard]] result<std::optional<eventlog::record>> find_in_tail(store::database& database,
                                                                   model::log_position position);

/// Decides what to do. `at_end`: the store has all that the log of its generation has. `is_copy`:
/// the store comes from a backup. Its log was ahead of it once, so that one that is shorter or gone
/// means a loss.
[[nodiscard]] log_plan decide(bool store_is_empty, log_match own, later_log later, bool at_end,
                              bool is_copy = false);

/// Says what may be lost when a store from this backup goes on without its log, in a sentence
/// without a full stop.
[[nodiscard]] std::string loss_of(const copy_mark& copy);

struct log_state {
  log_match match = log_match::absent;
  eventlog::log_info info;                ///< The log's answer about itself, unless it is absent.
  std::vector<eventlog::record> missing;  ///< The records of the tail behind the end of the log.
  std::string why;                        ///< A sentence about the match; empty for `continues`.
  /// A sentence, without a full stop, about damage that is in nobody's way; empty if there is none.
  std::string note;
};

/// Says why decide() refuses a log that was found like this beside a store that ends at `end`, and
/// beside the beginning of a later one if there is any. `copy` is set if the store is one.
[[nodiscard]] std::string why_refused(const log_state& found, const view_position& end,
                                      const std::optional<later_beginning>& later,
                                      const std::optional<copy_mark>& copy);

/// Looks at the log that is chosen, which is of the generation of `end`, and changes nothing. An
/// empty store is continued by any log. Fails with the errors of the seams.
[[nodiscard]] result<log_state> look_at_log(store::database& database, eventlog::event_log& log,
                                            const view_position& end, const codec::log_key& key);

/// The beginning of the first log of a later generation than `end` that has our MAC, or any MAC if
/// the store is empty. One that has such batches, or has lost its first records, and whose
/// beginning cannot be read is returned with a problem. Chooses the log of `end` in the end. Fails
/// with the errors of the seam.
[[nodiscard]] result<std::optional<later_beginning>> find_later(eventlog::event_log& log,
                                                                const view_position& end,
                                                                const codec::log_key& key);

/// Whether the later log continues a store that ends at `end`. The hashes decide and not the
/// positions, since a log may have got foreign records behind its last batch at any time.
[[nodiscard]] later_log relation(const std::optional<later_beginning>& later,
                                 const view_position& end);

}  // namespace argosy::view
