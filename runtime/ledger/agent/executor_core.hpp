// SPDX-License-Identifier: Apache-2.0
// The executor_core is the agent's side of the protocol between control plane and agents. It keeps
// the agent's runs, the highest run number of each job, the reports that wait for their
// acknowledgement, the highest epoch and the lease, and it knows when to speak to the control
// plane. An EXECUTOR owns it; it is not thread-safe. Boot times are CLOCK_BOOTTIME, given by the
// caller, as are Unix times in nanoseconds.
#pragma once

#include <absl/container/btree_map.h>
#include <absl/container/btree_set.h>
#include <absl/container/flat_hash_map.h>

#include <cstddef>
#include <cstdint>
#include <deque>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "runtime/base/result.hpp"
#include "runtime/ledger/agent/executor_effect.hpp"

namespace argosy::ledger {

struct executor_config {
  /// The period that holds until the control plane sets another.
  boot_time heartbeat = std::chrono::seconds{5};
  boot_time retry = std::chrono::seconds{1};  ///< The pause after a message that failed.
  /// How often a hello repeats the list of runs, until the control plane sets another period.
  boot_time compare = std::chrono::seconds{30};
  std::size_t reports_per_batch = 500;
  /// Each batch takes a token, of which one comes in each step, and one that is not full waits for
  /// it: each batch costs the control plane two commits. 0: none waits.
  boot_time report_step = std::chrono::milliseconds{100};
  /// So many tokens are there after a rest, so that a run that is alone tells each of its changes
  /// without delay. At least 1.
  std::uint32_t report_burst = 4;
  /// How long the number of an acknowledged run is remembered, and for how many runs at most.
  boot_time remember = std::chrono::hours{1};
  std::size_t remember_max = 200'000;
  /// How many notes are told of one run besides those with which it changes.
  std::uint32_t notes_max = 20;
  /// Whether the hello asks to serve the cluster although another agent does. Reset once the first
  /// hello is answered.
  bool take_over = false;
  /// Whether the agent leaves the control plane that it belongs to, whose runs it ends first, and
  /// belongs to the next one that answers its hello.
  bool join_control_plane = false;
  /// Whether no other agent of the cluster can act, so that the hello may say that it names all
  /// runs, once inherit() was told that it does. Otherwise it may once the lease of an earlier
  /// agent has passed for certain, which gets no other since this one has said hello.
  bool acts_alone = false;
  std::string version{};  ///< The program's, for whoever lists clusters.
  bool lapse = false;     ///< Runs that outlive the agent end when their lease lapses.
};

class executor_core {
 public:
  /// `cluster.incarnation` is not read: restore() or the control plane gives the incarnation.
  executor_core(model::cluster_info cluster, std::vector<model::node_info> nodes,
                executor_config config = {});

  // At recovery these functions are called in this order.
  void restore(const executor_facts& facts);
  void restore(const model::run_report& report);
  void restore(model::agent_run run, boot_time now);

  /// Takes runs that earlier agents have left, as if they had been started here.
  [[nodiscard]] executor_step inherit(model::inherited_runs left);

  /// The runs whose end is not known. The backend has to look for them.
  [[nodiscard]] std::vector<model::recorded_run> open_runs() const;
  /// Takes what the backend found. Runs that were being stopped are stopped again.
  [[nodiscard]] executor_step adopted(const std::vector<model::run_event>& found);

  // These functions take what comes from the control plane.

  /// Fails with ec::conflict for another incarnation, with ec::denied for another control plane or
  /// an epoch that cannot be, and with ec::fenced for an epoch below the highest one seen or of
  /// another claim of that one; then nothing is done. A known run is not started again, and a stop
  /// that overtook its start keeps it from starting. Orders may overtake the answer to a hello.
  /// Until that answer brings a lease, a run is only recorded.
  [[nodiscard]] result<executor_step> orders(const model::agent_orders& orders, std::int64_t now_ns,
                                             boot_time now);
  [[nodiscard]] executor_step hello_acknowledged(const model::hello_ack& ack, boot_time now);
  [[nodiscard]] executor_step heartbeat_acknowledged(const model::heartbeat_ack& ack,
                                                     boot_time now);
  /// `number` is that of the message. What one that was given up meanwhile says of the outbox
  /// holds, but the last one is still under way.
  [[nodiscard]] executor_step reports_acknowledged(std::uint64_t number,
                                                   const model::report_ack& ack, boot_time now);
  /// If there was a session, heartbeats go on: the next hello that compares runs may succeed.
  /// No hello is said before the pause is over.
  void hello_failed(boot_time now, boot_time pause = {});
  /// Ends the runs that wait for a lease as refused, since they certainly never ran. The next hello
  /// does so as well, since the control plane may have given their jobs to another cluster
  /// meanwhile.
  [[nodiscard]] executor_step refuse_held(boot_time now);
  /// The agent is about to leave: reports are gathered no more, and those that wait are due.
  void gather_no_more();
  /// The session is over; the next message is a hello.
  void heartbeat_failed(boot_time now);
  /// `number` is that of the message; one that was given up meanwhile changes nothing.
  /// `session_over` says that the control plane wants a hello first.
  void reports_failed(std::uint64_t number, bool session_over, boot_time now);
  /// The control plane has a newer incarnation of the cluster. The agent says and starts nothing
  /// any more. Runs that waited for a lease end as refused; the others may run until the lease has
  /// lapsed.
  [[nodiscard]] executor_step superseded(boot_time now);

  // These functions take what comes from the backend.

  /// Events about unknown or ended runs change nothing, and no event takes a run back to an earlier
  /// phase. A note about a run that goes on is reported, unless it is the one that was told last.
  [[nodiscard]] executor_step changed(const std::vector<model::run_event>& events, boot_time now);
  /// The nodes are told with the next hello, which is due at once.
  void set_nodes(std::vector<model::node_info> nodes);
  /// Whether there is something in the backend that may be a run of another agent.
  void set_strangers(bool any) noexcept { has_strangers_ = any; }
  /// Until then nothing is said, whatever nodes and trouble there are meanwhile.
  void put_off_hello(boot_time until) noexcept { speak_due_ = quiet_until_ = until; }
  /// Whether the backend can begin runs is told likewise, if it has changed.
  void set_trouble(model::backend_trouble trouble);

  /// Sends what is due. It has to be called at next_due() or later. `wall_ahead` is what the wall
  /// clock is ahead of the clock since boot; 0 if that is not known.
  [[nodiscard]] executor_step tick(boot_time now, boot_time wall_ahead = {});
  [[nodiscard]] boot_time next_due() const;

  [[nodiscard]] const executor_facts& facts() const noexcept { return facts_; }
  [[nodiscard]] bool connected() const noexcept { return session_; }
  /// A hello is under way, and the incarnation will be known by its answer.
  [[nodiscard]] bool awaits_incarnation() const noexcept {
    return speaking_ && facts_.incarnation.is_zero();
  }
  [[nodiscard]] bool is_superseded() const noexcept { return superseded_; }
  [[nodiscard]] std::size_t run_count() const noexcept { return runs_.size(); }
  [[nodiscard]] std::size_t outbox_size() const noexcept { return outbox_.size(); }
  [[nodiscard]] std::size_t remembered() const noexcept { return seen_.size(); }
  [[nodiscard]] boot_time heartbeat_period() const noexcept { return heartbeat_; }
  [[nodiscard]] model::incarnation incarnation() const noexcept { return facts_.incarnation; }
  [[nodiscard]] const model::cluster_name& cluster() const noexcept { return cluster_.name; }
  /// Returns null when the run is not there or its end is acknowledged.
  [[nodiscard]] const model::agent_run* find(const model::run_key& run) const;
  [[nodiscard]] boot_time lease_deadline() const noexcept { return lease_; }

 private:
  /// What is known of a job's run with the highest number that was ever here.
  struct seen_run {
    std::uint32_t number = 0;
    model::run_phase phase = model::run_phase::accepted;
    std::optional<std::int32_t> exit_code;
    std::int32_t signal = 0;
    std::string reason;
    std::string name_space;
  };

  void start(const model::start_run& order, bool find, std::int64_t now_ns, boot_time now,
             executor_step& step);
  void begin_held(boot_time now, executor_step& step);
  void refuse_held(boot_time now, executor_step& step);
  /// Ends one run as refused if it waits for a lease.
  void refuse_held(const model::run_key& key, boot_time now, executor_step& step);
  void stop(const model::stop_run& order, std::int64_t now_ns, executor_step& step);
  void take(const model::run_event& event, executor_step& step);
  void take_note(const model::run_event& event, const model::agent_run& run, executor_step& step);
  void report(model::run_report report, executor_step& step);
  void report_again(const model::run_key& run, const seen_run& seen, std::int64_t now_ns,
                    executor_step& step);
  void note_seen(const model::agent_run& run);
  void remember(const model::run_key& run, boot_time now);
  void forget_old(boot_time now, executor_step& step);
  [[nodiscard]] result<void> check_leader(const model::leadership& leader) const;
  void see_leader(const model::leadership& leader, executor_step& step);
  void take_incarnation(model::incarnation given, executor_step& step);
  void begin_anew(executor_step& step);
  void end_old_life(executor_step& step);
  void extend_lease(boot_time sent_at, std::int64_t lease_ns, std::int64_t kill_grace_ns,
                    executor_step& step);
  void send_outbox(boot_time now, executor_step& step);
  /// When the outbox may be sent.
  [[nodiscard]] boot_time outbox_due() const;
  [[nodiscard]] model::agent_hello make_hello() const;
  void save_facts(executor_step& step) const;

  model::cluster_info cluster_;
  std::vector<model::node_info> nodes_;
  model::backend_trouble trouble_;
  executor_config config_;
  executor_facts facts_;

  /// The runs that have not ended, and those whose end is not acknowledged.
  absl::btree_map<model::run_key, model::agent_run> runs_;
  struct held_run {
    model::start_run order;
    std::int64_t came_ns = 0;  ///< When the order came, in Unix time.
    boot_time came_at{};
  };
  struct told_notes {
    std::uint32_t count = 0;
    std::string last;
    model::pod_facts pod{};
  };
  /// The notes of runs that have not ended.
  absl::btree_map<model::run_key, told_notes> notes_;
  /// The runs that are recorded but wait for a lease.
  absl::btree_map<model::run_key, held_run> held_;
  absl::btree_map<std::uint64_t, model::run_report> outbox_;
  absl::flat_hash_map<ulid, seen_run> seen_;
  /// The runs whose end was in the restored outbox.
  absl::btree_set<model::run_key> restored_ends_;
  /// The acknowledged runs, the oldest first.
  std::deque<std::pair<boot_time, model::run_key>> remembered_;

  bool session_ = false;
  bool superseded_ = false;
  /// The agent ends its runs, of which it may report nothing any more, and says hello as new then.
  bool beginning_anew_ = false;
  bool said_hello_ = false;
  /// The control plane of which all runs are known, if they are; empty for any.
  std::optional<std::string> whole_for_;
  /// When no earlier agent of the cluster can begin a run any more, and what it had begun is told.
  boot_time alone_at_ = boot_time::max();
  bool has_strangers_ = false;
  std::int64_t hello_ns_ = 0;  ///< When the last hello was said.
  bool speaking_ = false;      ///< A hello or heartbeat is under way.
  boot_time spoke_at_{};       ///< When the last of these messages was sent.
  boot_time wall_ahead_{};     ///< By so much the wall clock was ahead of boot time.
  boot_time speak_due_{};
  boot_time quiet_until_{};  ///< No change of nodes or trouble makes it speak before.
  boot_time compare_due_{};
  boot_time heartbeat_;
  boot_time compare_;
  bool reporting_ = false;         ///< The last message with reports is under way.
  std::uint64_t last_report_ = 0;  ///< The number of that message.
  boot_time report_due_{};
  boot_time tokens_full_at_{};  ///< When as many tokens for batches are there as can be.
  boot_time lease_{};
};

}  // namespace argosy::ledger
