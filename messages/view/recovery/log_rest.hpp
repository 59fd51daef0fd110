// SPDX-License-Identifier: Apache-2.0
// This file declares what a log, and the tail behind it, have beyond a store, counted without
// changing anything: what the next start would apply, and what an operator would give up.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "messages/codec/log/batch_mac.hpp"
#include "messages/view/progress.hpp"
#include "runtime/base/result.hpp"
#include "runtime/base/ulid.hpp"
#include "runtime/eventlog/event_log.hpp"
#include "runtime/store/database.hpp"

namespace argosy::view {

/// The records that a log and the tail have beyond a store.
struct log_rest {
  std::uint64_t batches = 0;  ///< How many batches of the log continue the store.
  std::uint64_t foreign = 0;  ///< How many records are to be stepped over.
  view_position end;          ///< The end of the chain that they make with the store.
  std::string problem;        ///< A sentence about what cannot be applied; empty if all can be.

  // What stands from the problem on, to the end of both.
  model::log_position lost_from{};    ///< The position of the first record.
  std::uint64_t lost = 0;             ///< How many records there are.
  std::uint64_t lost_unreadable = 0;  ///< How many of them the log counts and does not give.
  std::uint64_t lost_batches = 0;     ///< How many of them are batches of this control plane.
  std::vector<ulid> lost_jobs;        ///< The jobs whose submission is in one of these batches.
};

/// Says what would be given up, in a sentence without a full stop.
[[nodiscard]] std::string text_of_loss(const log_rest& rest);

/// Reads the chosen log behind `end` to its end, which is before `end` if there is no log; what it
/// does not give is looked for in the tail. Then reads the tail behind that. Fails with the errors
/// of the seams.
[[nodiscard]] result<log_rest> look_at_rest(store::database& database, eventlog::event_log& log,
                                            view_position end, const eventlog::log_info& info,
                                            const codec::log_key& key);

}  // namespace argosy::view
