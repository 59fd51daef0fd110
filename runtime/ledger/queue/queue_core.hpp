// SPDX-License-Identifier: Apache-2.0
// The queue_core is the state of one queue: its settings, its live jobs with their runs, its job
// sets, gangs and client ids. It is the only place where it is known which job runs on which node.
// A QUEUE owns it; it is not thread-safe.
//
// Commands (the const functions that return a decision) change nothing. apply() is the only way in,
// live and at recovery alike, so that the same events always give the same state.
#pragma once

#include <absl/container/btree_map.h>
#include <absl/container/btree_set.h>
#include <absl/container/flat_hash_map.h>
#include <absl/container/flat_hash_set.h>

#include <array>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "runtime/ledger/change.hpp"
#include "runtime/ledger/queue/queue_command.hpp"
#include "runtime/ledger/queue_sums.hpp"
#include "runtime/ledger/retry/retry_book.hpp"
#include "runtime/ledger/used_ids.hpp"

namespace argosy::ledger {

class queue_core {
 public:
  explicit queue_core(model::queue_name name, queue_config config = {});

  /// Refuses gangs with more members from now on, if the configuration does not do so already: the
  /// log has records that hold no more leases.
  void fit_gangs(std::size_t members_max) noexcept;

  /// These are the retry policies from now on.
  void use_policies(retry_policies_ptr policies) noexcept;

  // These functions restore what the stored view has. The log beyond it is replayed by apply().
  void restore(const model::queue_settings& settings);
  void restore(const queue_totals& totals, std::shared_ptr<const queue_sums> sums = {});
  /// Restores a live job. Jobs that have ended are ignored.
  void restore(model::job_record record);
  void restore(const put_client_id& entry);
  void restore(const model::operation& running) { operations_[running.id] = running; }

  // The following are commands. `now_ns` is Unix time and becomes the events' time.

  /// Creates the queue or replaces its settings. Equal settings give no event. Depending on the
  /// mode it fails with ec::already_exists or ec::not_found; it fails with ec::invalid_argument for
  /// another queue's name, a priority factor below 1 or a retry policy that does not exist.
  /// `expected`, unless empty, is the version_of() the settings to be replaced: when they have
  /// changed since, the command fails with ec::conflict, and with ec::not_found when the queue is
  /// not there.
  [[nodiscard]] decision<done> set(const model::queue_settings& settings, write_mode mode,
                                   std::int64_t now_ns, const std::string& expected = {}) const;
  /// Takes names of retry policies that do not exist out of the queue's settings.
  [[nodiscard]] decision<done> drop_lost_policies(std::int64_t now_ns) const;
  /// Cordons or uncordons the queue. Fails with ec::not_found.
  [[nodiscard]] decision<done> cordon(bool on, std::int64_t now_ns) const;
  /// Deletes the queue. Fails with ec::not_found, or with ec::conflict while it has live jobs, of
  /// which the message names one; in the lenient mode both cases do nothing.
  [[nodiscard]] decision<done> erase(erase_mode mode, std::int64_t now_ns) const;

  /// Takes all jobs or none. A request whose key is known makes nothing and gets the first answer.
  /// Fails with ec::not_found when there is no such queue, ec::conflict when a key or client id was
  /// used with another content, ec::invalid_argument for a wrong gang or id, ec::overloaded when
  /// there are too many live jobs, and ec::too_large for a gang with too many members. Messages
  /// name the item by its place in the request, counted from 0.
  [[nodiscard]] decision<submit_reply> submit(
      const std::vector<std::shared_ptr<const model::job_header>>& jobs, std::int64_t now_ns,
      const request_key& key = {}) const;
  /// Whether a request with this key was accepted, so that submit() makes nothing.
  [[nodiscard]] bool knows(const request_key& key, std::int64_t now_ns) const;

  /// The jobs that satisfy the selection now, by id. ec::invalid_argument if it has no condition.
  [[nodiscard]] result<std::vector<ulid>> select(const job_selection& which) const;

  /// Queued jobs end, running ones are told to stop. With them end the other members of a gang that
  /// cannot start any more. The reply leaves out jobs that are being cancelled, have ended or are
  /// unknown. Fails with ec::invalid_argument for a selection without any condition.
  [[nodiscard]] decision<selection_reply> cancel(const job_selection& which,
                                                 const std::string& requestor,
                                                 const std::string& reason,
                                                 std::int64_t now_ns) const;
  /// Tells the runs of the selected jobs to stop, after which the jobs end as preempted; those of a
  /// drain queue again unless they or the configuration say otherwise. The reply leaves out jobs
  /// that have no run, or whose run is being stopped already. Fails as cancel() does.
  [[nodiscard]] decision<selection_reply> preempt(const job_selection& which,
                                                  const std::string& requestor,
                                                  const std::string& reason, std::int64_t now_ns,
                                                  bool is_drain = false) const;
  [[nodiscard]] decision<selection_reply> reprioritize(const job_selection& which,
                                                       std::uint32_t priority,
                                                       const std::string& requestor,
                                                       std::int64_t now_ns) const;

  /// Holds the selected jobs that wait, with the waiting members of their gangs, or ends these
  /// holds. The reply names all jobs that are changed. Fails as cancel() does.
  [[nodiscard]] decision<selection_reply> hold(const job_selection& which, bool on,
                                               const std::string& who, const std::string& why,
                                               std::int64_t now_ns) const;

  /// Blocks jobs that no pool could take, ends their blocks, or rejects those that are blocked. It
  /// leaves alone what has changed meanwhile.
  friend decision<done> judge_unfit(const queue_core& queue, const unfit_findings& what,
                                    std::int64_t now_ns);

  /// Ends a job that does harm, with all of its gang: those that wait are rejected, and those that
  /// run are cancelled in the name of argosyd. Does nothing if the job is not live here.
  [[nodiscard]] decision<selection_reply> set_aside(const harmful_job& what,
                                                    std::int64_t now_ns) const;

  /// Carries out what of the plan is still possible. A gang is leased with all waiting members or
  /// with at least its minimum, the rest being rejected; otherwise none of its leases is accepted.
  [[nodiscard]] decision<place_reply> place(const place_request& plan, std::int64_t now_ns) const;

  /// Ends the wait of gangs that have not run, for whose missing members no other has come within
  /// `gang_wait` of the configuration: those that have their minimum go on as they are, and the
  /// members of the others are rejected. The wait is counted from the newest change of a live
  /// member, but not from before `since_ns`, when the server began to take submissions. Held gangs
  /// are left alone.
  [[nodiscard]] decision<done> end_gang_waits(std::int64_t now_ns, std::int64_t since_ns) const;
  /// Says what the gang waits for; nothing if it is not there or waits for nobody.
  [[nodiscard]] std::optional<gang_wait> wait_of_gang(const std::string& gang, std::int64_t now_ns,
                                                      std::int64_t since_ns) const;
  /// Returns 0 if there is no gang, or if they wait for ever.
  [[nodiscard]] boot_time longest_gang_wait() const noexcept {
    return gangs_.empty() ? boot_time::zero() : config_.gang_wait;
  }

  /// Takes what the agent of `cluster` says of this queue's runs. Reports that are stale or illegal
  /// are only counted.
  [[nodiscard]] decision<report_reply> report(const model::cluster_name& cluster,
                                              const std::vector<model::run_report>& reports,
                                              std::int64_t now_ns) const;

  /// Settles runs that are over for certain, since their lease horizon has passed. The policy of
  /// the job, or else that of the configuration, decides whether the job is requeued or fails; a
  /// job that is being cancelled or preempted ends as such. Runs that may go on without a lease are
  /// left alone, unless their job is being cancelled and they are `abandoned`, which means that no
  /// agent will ever report their end.
  [[nodiscard]] decision<report_reply> lease_expired(const std::vector<model::run_key>& runs,
                                                     std::int64_t now_ns,
                                                     bool abandoned = false) const;

  /// Changes the state by one event and appends the changes that the store has to write. An event
  /// that is illegal in this state changes nothing and is counted.
  void apply(const model::event& e, change_list& changes);
  [[nodiscard]] change_list apply(const model::event& e);

  /// Takes from the GANG its sizes, and whether its members may be scheduled. That holds until a
  /// member changes; then the GANG reports again. A report about other members than the present
  /// ones, or about a gang that is gone, changes nothing.
  void gang_reported(const gang_report& report);

  /// Jobs and settings that changed since the last call, by id. When it is called right after
  /// apply(), it gives the delta of just those events, which is handed on when they are committed.
  [[nodiscard]] queue_delta take_dirty();
  [[nodiscard]] bool dirty() const noexcept {
    return settings_dirty_ || !dirty_.empty() || !dirty_gangs_.empty();
  }
  /// Marks everything dirty, for a new COORDINATOR.
  void touch_all();

  /// Forgets ids whose lifetime is over, which submit() ignores already. It walks the whole table.
  std::size_t prune_client_ids(std::int64_t now_ns);

  [[nodiscard]] const model::queue_name& name() const noexcept { return name_; }
  [[nodiscard]] bool exists() const noexcept { return settings_.has_value(); }
  /// Whether there are live jobs and all of them are being cancelled.
  [[nodiscard]] bool is_being_emptied() const;
  /// Whether nothing is left of the queue: it does not exist, and no id of a caller is known.
  [[nodiscard]] bool is_over() const noexcept {
    return !settings_ && jobs_.empty() && client_ids_.size() == 0 && operations_.empty();
  }
  /// Null when the queue does not exist.
  [[nodiscard]] const model::queue_settings* settings() const noexcept;
  /// Null when the job is not live here.
  [[nodiscard]] const model::job_record* find(const ulid& job) const;
  [[nodiscard]] std::size_t live_count() const noexcept { return jobs_.size(); }
  [[nodiscard]] const queue_totals& totals() const noexcept { return totals_; }
  /// Returns the sums since the queue was created. The pointer is never null.
  [[nodiscard]] const std::shared_ptr<const queue_sums>& sums() const noexcept { return sums_; }
  /// The pools in which jobs of the queue have live runs, by name.
  [[nodiscard]] std::vector<model::pool_name> active_pools() const;
  /// The number of live jobs in `state`.
  [[nodiscard]] std::size_t count(model::job_state state) const;
  struct hold_counts {
    std::size_t held = 0;  ///< How many queued jobs are held, blocked or wait for others.
    absl::flat_hash_set<ulid> blocked{};
    std::uint64_t rejected = 0;  ///< How many blocked jobs were rejected since the object was made.
    std::size_t waiting = 0;     ///< How many wait for other jobs.
    std::shared_ptr<const model::job_hold> last{};  ///< Jobs with equal holds share one.

    [[nodiscard]] std::size_t by_somebody() const noexcept {
      return held - blocked.size() - waiting;
    }
  };
  [[nodiscard]] const hold_counts& holds() const noexcept { return holds_; }
  /// Calls for every live job, in no particular order.
  void for_each(const std::function<void(const model::job_record&)>& visit) const;
  /// The job sets by name. Sets without live jobs are not kept.
  [[nodiscard]] std::vector<job_set_counts> job_sets() const;
  /// The gangs by id, for which GANG actors are spawned at recovery.
  [[nodiscard]] std::vector<gang_roll> gangs() const;
  [[nodiscard]] std::size_t client_id_count() const noexcept { return client_ids_.size(); }
  /// The changes of very many jobs that go on, by id.
  [[nodiscard]] const std::map<ulid, model::operation>& operations() const { return operations_; }
  /// The jobs that a change has still to look at which began before this process.
  [[nodiscard]] std::vector<ulid> jobs_left(const model::operation& of) const;
  [[nodiscard]] std::uint64_t illegal_events() const noexcept { return illegal_events_; }

 private:
  struct job_set {
    std::string name;
    absl::btree_set<ulid> jobs;
  };
  struct job_entry {
    model::job_record record;
    job_set* set = nullptr;
    bool visible = false;  ///< The COORDINATOR was told of the job.
  };
  /// Which live jobs belong to a gang, and what its GANG last said of it.
  struct gang_entry {
    std::shared_ptr<const model::gang_info> info;
    std::string priority_class;
    absl::btree_set<ulid> members;
    std::shared_ptr<const model::gang_info> sizes;
    bool open = false;     ///< The members may be scheduled.
    std::size_t held = 0;  ///< How many members are held: all that wait, or none.
    std::shared_ptr<const model::job_hold> hold;  ///< Their hold; null: none is held.
  };
  class overlay;
  class admission;
  class placement;
  class waits;

  job_entry& insert(model::job_record record);
  void remove(const ulid& job);
  void join_gang(const model::job_record& record);
  /// A member changed: the gang waits for its GANG's next report.
  void close_gang(gang_entry& gang);
  bool apply_queue(const model::event& e, change_list& changes);
  bool apply_accepted(const model::event& e, change_list& changes);
  bool apply_submitted(const model::event& e, change_list& changes);
  /// Remembers what was made under an id of a caller.
  void use_id(put_client_id entry, change_list& changes);
  bool apply_job(const model::event& e, change_list& changes);
  bool apply_operation(const model::event& e, change_list& changes);
  /// A run of the job has ended, the job has, or both.
  void count_end(const model::job_record& record, bool run_ended);
  /// The job was leased, has begun to run, had a run that ended, or none of these.
  void sum_up(const model::job_record& record, bool leased, bool began, bool run_ended);
  void count_placed(const model::run_record& run, bool placed);
  [[nodiscard]] std::shared_ptr<const model::job_hold> first_hold(const model::job_header& header,
                                                                  std::int64_t now_ns) const;
  using hold_ptr = std::shared_ptr<const model::job_hold>;
  void count_hold(const hold_ptr& before, model::job_record& record);
  /// Gives the job's hold, or none, to the other waiting members of its gang.
  void spread_hold(const model::job_record& from, change_list& changes);
  void recall_gang(const model::job_record& returned, std::int64_t now_ns, change_list& changes);
  [[nodiscard]] const gang_entry* gang_of(const model::job_record& record) const;
  [[nodiscard]] gang_entry* gang_of(const model::job_record& record);
  [[nodiscard]] bool schedulable(const model::job_record& record) const;
  [[nodiscard]] bool selected(const model::job_record& record, const job_selection& which) const;
  [[nodiscard]] std::vector<ulid> with_gangs(const std::vector<ulid>& ids) const;
  [[nodiscard]] model::event make_event(std::int64_t now_ns, model::event_payload payload) const;
  [[nodiscard]] lease_policy policy_of(const model::job_header& header) const;
  /// The policy that decides on retries; null if the queue has none.
  [[nodiscard]] const model::retry_policy* first_policy() const;
  void settle_failure(const model::job_record& record, const model::run_outcome& outcome,
                      overlay& view) const;
  void settle_run(const model::run_report& report, overlay& view) const;
  void settle_lapse(const model::job_record& record, overlay& view) const;
  void settle_loss(const model::job_record& record, const model::run_outcome& outcome,
                   overlay& view) const;
  /// Has a job queue again whose run was ended from outside, if it was not so too often. Returns
  /// false, and does nothing, for all else.
  [[nodiscard]] bool settle_disruption(const model::job_record& record,
                                       const model::run_report& report, overlay& view) const;
  void settle_return(const model::job_record& record, model::lease_returned back,
                     overlay& view) const;

  model::queue_name name_;
  queue_config config_;
  std::optional<model::queue_settings> settings_;
  retry_policies_ptr policies_ = std::make_shared<const retry_policies>();
  absl::flat_hash_map<ulid, std::unique_ptr<job_entry>> jobs_;
  absl::flat_hash_map<std::string, std::unique_ptr<job_set>> job_sets_;
  absl::flat_hash_map<std::string, gang_entry> gangs_;
  used_ids client_ids_;
  absl::flat_hash_set<ulid> dirty_;
  absl::flat_hash_set<std::string> dirty_gangs_;
  bool settings_dirty_ = false;
  /// The jobs that wait for another one, by its id. It may have ended for some.
  absl::flat_hash_map<ulid, absl::btree_set<ulid>> dependents_;
  hold_counts holds_;
  std::array<std::size_t, 4> counts_{};  ///< The number of live jobs in each state.
  /// The number of live runs by pool; no number is 0.
  absl::btree_map<model::pool_name, std::size_t> placed_;
  queue_totals totals_;
  std::shared_ptr<const queue_sums> sums_ = std::make_shared<const queue_sums>();
  std::map<ulid, model::operation> operations_;
  std::uint64_t illegal_events_ = 0;
};

[[nodiscard]] decision<done> judge_unfit(const queue_core& queue, const unfit_findings& what,
                                         std::int64_t now_ns);

}  // namespace argosy::ledger
