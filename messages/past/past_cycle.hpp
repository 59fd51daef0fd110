// SPDX-License-Identifier: Apache-2.0
// This file declares how cycles of the past are decided again: from a store of an earlier time, or
// from nothing, and from the log behind that. The result says of each round whether its decisions
// are those that the log has.
#pragma once

#include <atomic>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "messages/native/settings.hpp"
#include "messages/rounds/delta_fold.hpp"
#include "messages/rounds/round_history.hpp"
#include "messages/view/recovery/recovered_state.hpp"
#include "runtime/eventlog/event_log.hpp"
#include "runtime/scheduling/plan.hpp"
#include "runtime/scheduling/round.hpp"

namespace argosy::past {

/// Makes settings of rounds from model::settings_changed::text.
using settings_reader = std::function<result<native::round_settings>(const std::string& text)>;

struct past_source {
  store::database* store = nullptr;  ///< A store whose view ends before the round; null: no store.
  eventlog::event_log* log = nullptr;
  const codec::log_key* key = nullptr;
  view::state_rules rules;
  settings_reader read_settings;
  const std::atomic<bool>* stopped = nullptr;  ///< True: give up with ec::cancelled. May be null.
  /// Says whether the walk has taken long enough; empty: it may take as long as it takes.
  std::function<bool()> out_of_time{};
  /// So many jobs may be live at the time of a round, since all of them are held in memory; 0: as
  /// many as there are.
  std::size_t live_jobs_max = 0;
};

/// A round that was decided again.
struct past_round {
  model::round_decided record;  ///< As the log has it.
  std::shared_ptr<const scheduling::config> config;
  scheduling::round_params params;
  scheduling::plan plan;

  /// Whether the decisions are the very same.
  [[nodiscard]] bool is_same() const { return plan.error.empty() && plan.digest == record.digest; }
};

/// All rounds of one cycle, and what they saw.
struct past_cycle {
  view::recovered_state
      state;  ///< The queues and clusters, as the rounds saw them; see each_cycle().
  std::unique_ptr<rounds::delta_fold> fold;
  std::unique_ptr<rounds::round_history> history;  ///< Knows of the rounds of this cycle alone.
  std::vector<past_round> rounds;
};

/// Takes a cycle, and the queues and clusters as its rounds saw them. False ends the walk.
using cycle_visitor = std::function<bool(past_cycle& cycle, view::recovered_state& state)>;

enum class walk_end : std::uint8_t {
  done,         ///< All cycles were visited, or the visitor has ended the walk.
  out_of_time,  ///< past_source::out_of_time did.
};

/// Decides the cycles again whose positions are `first` to `last`, one after the other, while the
/// log is read once. Fails as rebuild_cycle() does, also when some cycles have been visited, and
/// with ec::too_large if more jobs were live at some time than may be.
[[nodiscard]] result<walk_end> each_cycle(const past_source& from, model::log_position first,
                                          model::log_position last, const cycle_visitor& visit);

/// Decides the cycle of the round with this record again, which the store has. Fails with
/// ec::not_found if log and store do not reach back so far, or the log has no text of its settings,
/// and with the errors of the seams.
[[nodiscard]] result<past_cycle> rebuild_cycle(const past_source& from,
                                               const model::round_decided& wanted);

}  // namespace argosy::past
