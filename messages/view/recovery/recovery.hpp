// SPDX-License-Identifier: Apache-2.0
// Makes from a store and a log the state in which actors start: the view up to its position, what
// the log has beyond it, and what the tail has beyond the log. Blocks; runs before there are
// actors.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <utility>

#include "messages/view/recovery/log_ahead.hpp"
#include "messages/view/recovery/log_state.hpp"
#include "messages/view/recovery/recovered_state.hpp"
#include "messages/view/recovery/replay.hpp"
#include "runtime/eventlog/event_log.hpp"

namespace argosy::view {

/// What recovery is about to do.
enum class claim_step : std::uint8_t {
  change_log,  ///< Create a log, give back to it what it lacks, or begin a new generation.
  turn,        ///< Finish a roll-over, whose last record in the old generation is in the log.
  claim,       ///< Nothing: the store has all that the log has, and a claim may follow.
};

/// Whether a process whose store ends there may do it. Several processes may want to lead on one
/// log, and nothing is written into it by one that must not. An empty gate lets everything pass.
using claim_gate =
    std::function<result<void>(const view_position& at, bool is_copy, claim_step step)>;

/// The log is a chain: each batch holds the hash of the one before. Records that are no part of the
/// chain are foreign and are stepped over, unless they can only be explained by a chain that is
/// broken. From the first batch with a MAC of `key` on, batches without it are foreign as well; a
/// log whose batches have the MAC of another key is refused. A log that is gone, or has lost more
/// than the tail has, is replaced by the next generation, which begins where the store ends. Fails
/// with ec::corrupt, and says what to do, when the store and the log contradict each other in a way
/// that would lose or repeat something; with the error of the gate if that refuses; otherwise with
/// the errors of the seams.
[[nodiscard]] result<recovered_state> recover(store::database& database, eventlog::event_log& log,
                                              const state_rules& config, const codec::log_key& key,
                                              const claim_gate& gate = {});

/// A recovery that goes on while another process leads: the state, and the store under it, follow
/// the log, and whoever leads next has little left to read.
class recovery {
 public:
  /// Everything but `config` must outlive the object.
  recovery(store::database& database, eventlog::event_log& log, state_rules config,
           const codec::log_key& key)
      : database_(database), log_(log), config_(std::move(config)), key_(key) {}
  recovery(const recovery&) = delete;
  recovery& operator=(const recovery&) = delete;

  /// Applies a part of what the log has beyond the store, and nothing behind the record `committed`
  /// of this generation, of which the leader has told. Returns whether all of it is applied. It
  /// changes nothing in the log. Reads the whole store when it is called first; `give_up` may end
  /// that with ec::cancelled. Fails with ec::conflict or ec::corrupt if the store does not go on in
  /// the log, and with the errors of the seams; nothing may be called then.
  [[nodiscard]] result<bool> follow(model::log_generation generation, model::log_position committed,
                                    const std::function<bool()>& give_up = {});
  /// Applies what the tail has of this part, of which it is known that it is committed. Needs no
  /// log. Fails as follow() does.
  result<void> follow_tail(const log_ahead::part& committed);
  /// Drops what would grow for as long as the log is followed: what changed, which nobody asks for
  /// before actors do, and ids of callers that are over. Walks all queues.
  void forget_changes();
  /// What is applied.
  [[nodiscard]] const view_position& position() const { return state_.position; }

  /// Reads the store, if nothing of it is read yet; see follow().
  result<void> load(const std::function<bool()>& give_up = {});
  /// Ends it, as recover() does. If other planes have granted an epoch, they have bound themselves
  /// to it and none of their stores ends farther: then a log that does not end where this store
  /// does is replaced by the next generation, which begins in that epoch. Nothing may be called
  /// afterwards.
  [[nodiscard]] result<recovered_state> finish(const claim_gate& gate = {},
                                               model::epoch granted = {});

 private:
  result<void> run_generations();
  result<void> ask_gate(claim_step step) const {
    return gate_ ? gate_(state_.position, copy_.has_value(), step) : result<void>{};
  }
  [[nodiscard]] view_position last_of_chain() const;
  result<void> refuse(const std::string& why, const std::optional<later_beginning>& later);
  [[nodiscard]] bool gives_nothing_back() const;
  result<void> give_up_rest(const error& why);
  result<void> bring_up(const log_state& found);
  result<void> turn_to(const model::generation_begun& later, model::log_position until);
  result<void> apply_tail();
  result<void> take_rest_of_tail();
  result<void> begin_generation(const std::string& why);

  store::database& database_;
  eventlog::event_log& log_;
  const state_rules config_;
  const codec::log_key& key_;
  claim_gate gate_;
  model::epoch granted_{};  ///< See finish().
  bool is_loaded_ = false;
  recovered_state state_;
  eventlog::log_info log_info_;
  std::optional<copy_mark> copy_;  ///< Set while the store is a copy that has joined no log.
  replay replay_{database_, log_, config_, key_, log_info_, state_};
};

/// It says what recover() would do with the log as it is now, as far as can be seen without
/// applying it.
struct recovery_outlook {
  std::string refusal;       ///< A sentence without a full stop; empty: it would not refuse.
  bool changes_log = false;  ///< See claim_step::change_log.
  /// The log does not have any more what follows the store: a snapshot has to come in its place.
  bool is_too_old = false;
  model::log_position begun{};  ///< Such a snapshot must reach this record at least.
  model::log_generation generation{};
  model::log_position end{};  ///< The last record of that generation; 0: not known.
};

/// Changes nothing. Fails with the errors of the seams.
[[nodiscard]] result<recovery_outlook> look_ahead(store::database& database,
                                                  eventlog::event_log& log,
                                                  const codec::log_key& key);

}  // namespace argosy::view
