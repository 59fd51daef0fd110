// SPDX-License-Identifier: Apache-2.0
// A QUEUE applies what it decided, appends it to the log and, once that is durable, carries out the
// effects and answers, through its queue_log. The QUEUE owns it and uses it on its thread.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <vector>

#include "actors/log/open_appends.hpp"
#include "actors/state/queue.hpp"
#include "actors/state/queue_effects.hpp"
#include "actors/state/queue_operation.hpp"
#include "runtime/ledger/queue/selection_parts.hpp"

namespace argosy::actors {

class queue_log {
 public:
  /// Hears at which position the events are durable, or why they are not.
  using continuation = std::function<void(const result<model::log_position>&)>;
  using selection_promise = caf::typed_response_promise<ledger::selection_reply>;

  /// `committed` hears what each append changed, when it is durable. `config` and `effects` must
  /// outlive the object.
  queue_log(queue_actor::base* self, const queue_actor_config& config, queue_effects& effects,
            std::function<void(const ledger::queue_delta&)> committed);

  /// The position of the last commit that this queue heard of.
  [[nodiscard]] model::log_position position() const noexcept { return position_; }
  /// Whether everything that was applied is durable.
  [[nodiscard]] bool empty() const { return in_flight_.empty(); }
  /// Whether the log has room for the events, and each record of theirs is small enough.
  [[nodiscard]] result<void> fits(const std::vector<model::event>& events,
                                  eventlog::command_kind kind) const;

  /// Applies and appends the events. When they are durable, the effects that are due are carried
  /// out, and then `done` is called with the position.
  void append(std::vector<model::event> events, std::vector<ledger::queue_effect> due,
              continuation done);
  /// These are the retry policies from now on; those that are gone leave the queue's settings.
  void use_policies(const ledger::retry_policies_ptr& all);
  /// Takes the JOURNAL's answer to an append.
  void appended(const native::append_outcome& outcome);

  /// Changes the jobs in parts, and answers when all are durable. The log is told in `record` how
  /// far that is, if there is one.
  void change_in_parts(ledger::selection_parts parts, decide_part decide,
                       std::optional<selection_promise> promise,
                       std::optional<model::operation> record, eventlog::command_kind kind);
  /// If the change that this record would begin goes on already, since its caller has sent his
  /// request again: the promise that is kept when the change ends. Otherwise nothing.
  [[nodiscard]] std::optional<selection_promise> join(
      const std::optional<model::operation>& wanted);
  /// Looks from time to time whether gangs wait too long, while there are gangs.
  void watch_gangs();
  /// Ends the wait of gangs whose members have not come in time.
  void end_gang_waits();
  /// Says for which members the gang waits and for how long, in a sentence; empty if for none.
  [[nodiscard]] std::string gang_wait(const std::string& gang) const;
  /// Goes on with the changes that another process has left half done.
  void resume_changes();

  /// Answers the request that is being handled when the last job that is being cancelled has ended
  /// and the queue is deleted, or when another job has come meanwhile, which refuses it.
  [[nodiscard]] caf::result<atom::ok> erase_when_empty();

 private:
  /// One append that is not durable yet.
  struct pending {
    ledger::queue_delta delta;
    std::vector<ledger::queue_effect> effects;
    std::vector<continuation> done;
  };
  struct parted_change {
    ledger::selection_parts parts;
    decide_part decide;
    std::vector<selection_promise> promises;  ///< Empty: whoever asked has gone.
    std::optional<model::operation> record;
    eventlog::command_kind kind = eventlog::command_kind::relieving;
    ledger::selection_reply changed;
    std::size_t open = 0;  ///< The parts that were appended and are not durable yet.
    std::optional<error> failed;
  };

  using parted_change_ptr = std::shared_ptr<parted_change>;

  void append_part(std::vector<model::event> events, std::vector<ledger::queue_effect> due,
                   continuation done);
  void tell_outcomes(const std::vector<ledger::queue_effect>& effects, model::log_position at);
  void go_on(const parted_change_ptr& what);
  void end(const parted_change_ptr& what);
  void answer(parted_change& what, const result<void>& outcome);
  [[nodiscard]] model::event told(const model::operation& record) const;
  void settle_erases();

  queue_actor::base* self_;
  const queue_actor_config& config_;
  ledger::queue_core& core_;
  queue_effects& effects_;
  std::function<void(const ledger::queue_delta&)> committed_;
  open_appends<pending> in_flight_;
  std::vector<caf::typed_response_promise<atom::ok>> erases_;  ///< They wait for the ends of jobs.
  std::map<ulid, parted_change_ptr> operations_;  ///< The changes that have a record and go on.
  model::log_position position_;
  const std::int64_t began_ns_;  ///< Unix time. Nobody could submit a member before.
  bool watches_gangs_ = false;
};

}  // namespace argosy::actors
