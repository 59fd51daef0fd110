// SPDX-License-Identifier: Apache-2.0
// An overlay is the state of a queue as it will be after the events decided so far. It has copies
// of the touched jobs and leaves the core untouched. Commands with many steps decide against it. It
// is internal to queue_core.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "runtime/ledger/queue/queue_core.hpp"

namespace argosy::ledger {

class queue_core::overlay {
 public:
  overlay(const queue_core& core, std::int64_t now_ns) : core_(core), now_ns_(now_ns) {}

  /// The job in its state after those events; null when it is not live or not any more.
  [[nodiscard]] const model::job_record* find(const ulid& job) const;

  /// Decides an event that is legal now, and notes the effects that follow from it.
  void add(const ulid& job, model::event_payload payload);

  void stop(const model::job_record& record);

  /// Whether the job queues again when its run is preempted now; its whole gang does, or none.
  [[nodiscard]] bool sends_back(const model::job_record& record) const;

  /// Says for whom a gang waits, see queue_core::wait_of_gang().
  [[nodiscard]] std::optional<gang_wait> wait_of(const gang_entry& gang,
                                                 std::int64_t since_ns) const;
  /// Lets the gang go on with the members that it has, or rejects them if they are too few.
  void end_wait(const gang_entry& gang);

  /// Returns the events and effects in order, as a decision with this reply.
  template <class Reply>
  [[nodiscard]] decision<Reply> finish(Reply reply) && {
    end_broken_gangs();
    end_dependents();
    close();
    return {std::move(reply), std::move(events_), std::move(effects_)};
  }

 private:
  void note(const model::job_record& before, const model::job_record& after, run_verdict verdict,
            std::string why);
  void recall_others(const model::job_record& returned);
  [[nodiscard]] gang_changed& gang_of(const model::job_record& record);
  /// Ends the rest of each gang that loses a member before it started and has no longer as many as
  /// its minimum, in the way in which the member ended: whoever cancels it cancels the gang.
  void end_broken_gangs();
  /// The event that cancelled the job; null if it has ended otherwise.
  [[nodiscard]] const model::job_cancelled* cancellation_of(const ulid& job) const;
  [[nodiscard]] std::vector<ulid> rest_of_broken(const gang_changed& what) const;
  /// Ends or holds the jobs that wait for what cannot be any more, and those that wait for them.
  void end_dependents();
  void end_dependents_of(const ulid& ended);
  [[nodiscard]] bool holds_first_of(const model::job_record& record);
  void close();

  const queue_core& core_;
  std::int64_t now_ns_;
  absl::flat_hash_map<ulid, model::job_record> touched_;
  std::vector<model::event> events_;
  std::vector<queue_effect> effects_;
  std::map<std::string, gang_changed> gangs_;
  absl::flat_hash_set<std::string> held_gangs_;  ///< A member of these is held in this decision.
};

}  // namespace argosy::ledger
