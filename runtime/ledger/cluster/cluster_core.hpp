// SPDX-License-Identifier: Apache-2.0
// The cluster_core is one worker cluster as the control plane sees it. It keeps the cluster's
// identity and nodes, which are in the log, the session with its agent, the runs that should be
// there, which it compares with those reported, and the clock of their lease. A CLUSTER owns it; it
// is not thread-safe. Times are CLOCK_BOOTTIME, given by the caller.
// An agent has one report batch in flight and always sends from the head of its outbox.
#pragma once

#include <absl/container/btree_map.h>
#include <absl/container/btree_set.h>

#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "runtime/ledger/change.hpp"
#include "runtime/ledger/cluster/cluster_effect.hpp"
#include "runtime/ledger/cluster/cordons.hpp"
#include "runtime/ledger/cluster/drains.hpp"
#include "runtime/ledger/cluster/node_changes.hpp"
#include "runtime/ledger/cluster/report_window.hpp"
#include "runtime/ledger/health/closures.hpp"

namespace argosy::ledger {

class cluster_core {
 public:
  explicit cluster_core(model::cluster_name name, cluster_config config = {});

  // These are called at recovery.
  void restore(const model::cluster_info& info, bool present, std::int64_t left_ns = 0);
  void restore(const model::node_info& node);
  void restore(const put_cordon& known) { cordons_.restore(known); }
  void restore(const model::operation& drain) { drains_.restore(drain); }
  void restore(desired_run run);

  /// All is restored, and this process leads. Each lease has a full period from the last moment at
  /// which the leader before may have renewed it. The effects bind the runs and set the nodes.
  [[nodiscard]] cluster_step lead(const model::leadership& by, boot_time now);
  /// The same process leads, with a higher epoch.
  void raise_epoch(model::epoch to) { by_.epoch = to; }
  void keep_left_for(std::chrono::nanoseconds span) { config_.left_kept = span; }
  void set_other_servers(namespace_servers of) { config_.other_servers = std::move(of); }
  // These functions take what comes from the agent.

  /// Gives an incarnation to an agent that has none, above all before and never below the time. An
  /// agent with one that is not known, or is from before its cluster was forgotten, is told to
  /// begin anew, and nothing changes. Fails with ec::conflict for another incarnation below the
  /// highest seen, ec::denied for an agent that belongs to another control plane or tells of an
  /// epoch that cannot be, ec::fenced when the agent has seen a higher epoch, ec::unavailable when
  /// not leading or while the runs of a forgotten cluster are being settled, and
  /// ec::invalid_argument for the name of another cluster. A new incarnation that is not told to
  /// take over gets ec::already_exists while the present one is in contact, and ec::unavailable
  /// while a new leader still waits for the present one; so does another process of the present
  /// one. Neither is refused if its place and boot are those of the present one. An agent whose
  /// backend could not end the runs that there are gets ec::already_exists.
  [[nodiscard]] cluster_answer<model::hello_ack> hello(const model::agent_hello& message,
                                                       std::int64_t now_ns, boot_time now);
  [[nodiscard]] cluster_answer<model::heartbeat_ack> heartbeat(
      const model::agent_heartbeat& message, boot_time now);
  /// The reply is a ticket: the first `acknowledge` effect with this ticket or a higher one answers
  /// the batch. Fails with ec::conflict for an older incarnation and with ec::unavailable for one
  /// that has not said hello.
  [[nodiscard]] cluster_answer<std::uint64_t> reports(const model::report_batch& batch,
                                                      boot_time now);
  [[nodiscard]] cluster_answer<bool> nodes(const model::agent_nodes& message, std::int64_t now_ns,
                                           boot_time now);
  [[nodiscard]] cluster_answer<bool> goodbye(const model::agent_goodbye& message,
                                             std::int64_t now_ns, boot_time now);

  /// An operator says that the cluster is gone for good: its runs count as stopped, it leaves, and
  /// an agent of it may come back only by beginning anew. `reason` is kept in the log. Repeating
  /// this changes nothing. Fails with ec::conflict while the agent is connected, ec::unavailable
  /// while a new leader still waits for it or when not leading, and ec::not_found when no agent
  /// has ever served the cluster.
  [[nodiscard]] cluster_answer<bool> forget(const std::string& reason, std::int64_t now_ns,
                                            boot_time now);

  /// An operator ends the quarantine of a node. Returns the events by which the log says so: the
  /// node leaves and comes anew, at once. Fails with ec::not_found for an unknown node, and with
  /// ec::unavailable when not leading.
  [[nodiscard]] result<std::vector<model::event>> release_node(const model::node_name& node,
                                                               std::int64_t now_ns) const;

  /// An operator cordons the cluster or a node of it, or takes that back. A cluster that has not
  /// joined yet may be cordoned too. Repeating it changes nothing. Fails with ec::not_found for a
  /// node to be cordoned that is not there, and with ec::unavailable when not leading.
  [[nodiscard]] cluster_answer<bool> cordon(const model::cordon_changed& wanted,
                                            std::int64_t now_ns) const;

  /// An operator wants nothing to run on the cluster or a node of it: cordons it and begins a
  /// drain, or joins the one that goes on, which then has the request's deadline, if it has one,
  /// and preempts if the request says so. Fails as cordon() does.
  [[nodiscard]] cluster_answer<drain_reply> drain(const drain_request& wanted,
                                                  std::int64_t now_ns) const;
  /// Ends a drain, while the cordon stays. Fails with ec::not_found when none goes on.
  [[nodiscard]] cluster_answer<model::operation> stop_drain(const model::node_name& node,
                                                            const std::string& by,
                                                            std::int64_t now_ns) const;
  /// Does what is due for all drains. The tick does it as well; call it when one has begun.
  [[nodiscard]] cluster_step drain_on(std::int64_t now_ns);
  /// It is not known whether the QUEUE has preempted these runs: it is asked again.
  void not_preempted(const std::vector<model::run_key>& runs);

  // These functions take what comes from QUEUEs, which send it when their events are durable.

  [[nodiscard]] cluster_step start(std::vector<model::start_run> runs, boot_time now);
  [[nodiscard]] cluster_step stop(std::vector<model::stop_run> runs, boot_time now);
  /// The QUEUE has ended or requeued the run.
  [[nodiscard]] cluster_step run_over(const model::run_key& run, run_verdict verdict,
                                      std::int64_t now_ns, boot_time now);
  /// Sequences of an incarnation that is not the present one change nothing.
  [[nodiscard]] cluster_step committed(model::incarnation incarnation,
                                       const std::vector<std::uint64_t>& sequences);
  /// The reports will be forwarded again when the agent sends them again.
  void not_committed(model::incarnation incarnation, const std::vector<std::uint64_t>& sequences);

  /// The QUEUE has recorded that these leases have lapsed. Its run_over() came before this for each
  /// run that it gave up; it keeps the others, whose starts may be ordered again.
  void expired(const std::vector<model::run_key>& runs);
  /// The QUEUE may not have recorded that these leases have lapsed: the next tick tells it again.
  void not_expired(const std::vector<model::run_key>& runs);

  /// Notices silence and lapsed leases, and sends unconfirmed orders again. Call it once a second.
  [[nodiscard]] cluster_step tick(std::int64_t now_ns, boot_time now);

  /// Changes the identity and the nodes, as nothing else does. Events of others are ignored.
  [[nodiscard]] change_list apply(const model::event& e);

  [[nodiscard]] const model::cluster_name& name() const noexcept { return info_.name; }
  [[nodiscard]] const model::cluster_info& info() const noexcept { return info_; }
  [[nodiscard]] contact_state contact() const noexcept { return contact_; }
  /// Why the agent cannot begin runs, as it said last.
  [[nodiscard]] const model::backend_trouble& trouble() const noexcept { return trouble_; }
  /// Whether the agent is heard and can begin runs.
  [[nodiscard]] bool takes_work() const noexcept {
    return contact_ == contact_state::connected && trouble_.why.empty();
  }
  [[nodiscard]] bool present() const noexcept { return present_; }
  [[nodiscard]] const std::string& agent_version() const noexcept { return agent_version_; }
  /// An operator has said that the cluster is gone for good, and no agent has joined since.
  [[nodiscard]] bool is_forgotten() const noexcept;
  /// Whether nothing is known of the cluster or under way to it, and it is not cordoned.
  [[nodiscard]] bool is_unknown() const noexcept;
  /// The time of the agent's last message; before the first one, the time of lead().
  [[nodiscard]] boot_time last_contact() const noexcept { return last_contact_; }
  /// Before this time no run of the cluster may be placed anew unless its end is confirmed.
  [[nodiscard]] boot_time lease_horizon() const noexcept;
  [[nodiscard]] const node_map& node_infos() const noexcept { return nodes_; }
  [[nodiscard]] const cordons& all_cordons() const noexcept { return cordons_; }
  [[nodiscard]] const drains& all_drains() const noexcept { return drains_; }
  [[nodiscard]] const closures& all_closures() const noexcept { return closures_; }
  /// A node as rounds shall see it, with its cordons and namespaces.
  [[nodiscard]] model::node_info seen(model::node_info node) const;
  /// The drain of the node, or of its cluster, or of the cluster for an empty name, as it stands.
  [[nodiscard]] std::optional<model::operation> drain_for(const model::node_name& node) const;
  [[nodiscard]] std::size_t run_count() const noexcept { return runs_.size(); }
  /// Runs that only an older incarnation may have, until they lapse or an agent reports them.
  [[nodiscard]] std::size_t lapsing_count() const noexcept { return lapsing_.size(); }
  /// The number of starts that wait for the room of a run that is being stopped.
  [[nodiscard]] std::size_t held_count() const noexcept { return held_.size(); }
  [[nodiscard]] std::uint64_t committed_sequence() const noexcept;

 private:
  /// What the QUEUE knows about the lapse of a run's lease. Once it was told, the QUEUE may give
  /// the job to another run. Until it has answered, the start of this run is therefore not ordered
  /// again, even if the agent comes back.
  enum class lapse {
    none,       ///< The QUEUE knows of no lapse.
    told,       ///< The QUEUE was told and has not answered.
    overtaken,  ///< As `told`, and the agent has come back since.
    unknown,    ///< The answer of the QUEUE was lost, and the next tick tells the QUEUE again.
    taken,      ///< The QUEUE keeps the run, and is told again only after the next contact.
  };
  struct tracked {
    desired_run desired;
    bool sent = false;      ///< The start may have reached the agent.
    bool finished = false;  ///< It ended or never began, and its QUEUE has not committed that yet.
    lapse lapsed = lapse::none;
    asked leave = asked::never;
    boot_time sent_at{};
  };
  struct lapsing_run {
    boot_time over{};     ///< When its lease has lapsed for certain; that of a pod never does.
    boot_time find_at{};  ///< From then on its agent cannot begin it: the next one may look for it.
    model::incarnation holder{};  ///< The agent that was given it; 0: not known.
    bool told = false;            ///< Its job was told for what it waits.
  };
  using run_map = absl::btree_map<model::run_key, tracked>;
  using effect_list = std::vector<cluster_effect>;
  using report_map = std::map<model::queue_name, std::vector<model::run_report>>;

  [[nodiscard]] result<void> check_leading() const;
  [[nodiscard]] model::incarnation next_incarnation(std::int64_t now_ns) const;
  [[nodiscard]] result<void> check_sender(const model::cluster_name& cluster,
                                          model::incarnation incarnation) const;
  [[nodiscard]] result<void> check_allegiance(const model::agent_hello& message) const;
  [[nodiscard]] result<void> check_backend(const model::cluster_info& told) const;
  [[nodiscard]] bool is_own_agent(const model::cluster_info& told) const;
  [[nodiscard]] result<void> check_taking_over(const model::agent_hello& message, boot_time now);
  [[nodiscard]] result<void> check_copy(const model::cluster_info& told, boot_time now);
  [[nodiscard]] result<void> check_process(model::incarnation incarnation,
                                           model::agent_process process) const;
  [[nodiscard]] result<void> check_session(const model::cluster_name& cluster,
                                           model::incarnation incarnation,
                                           model::agent_process process) const;
  [[nodiscard]] model::hello_ack make_ack() const;
  /// Starts are sent only while this is true: an agent out of contact may be past its lease.
  [[nodiscard]] bool online() const noexcept {
    return session_ && contact_ == contact_state::connected;
  }
  void heard(boot_time now, effect_list& effects);
  void set_trouble(const model::backend_trouble& to, effect_list& effects);
  void set_contact_state(contact_state to, boot_time silence, effect_list& effects);
  void plan_nodes(const model::cluster_info& info, const std::vector<model::node_info>& set,
                  const std::vector<model::node_name>& removed, std::int64_t now_ns,
                  std::vector<model::event>& events, effect_list& effects) const;
  void remove_all_nodes(effect_list& effects) const;
  void leave_if_idle(std::int64_t now_ns, std::vector<model::event>& events, effect_list& effects);
  [[nodiscard]] bool may_be_erased(model::incarnation incarnation,
                                   std::int64_t now_ns) const noexcept;
  void erase_if_due(std::int64_t now_ns, std::vector<model::event>& events) const;
  [[nodiscard]] std::size_t runs_there(const model::node_name& node) const;
  [[nodiscard]] std::optional<model::event> stopped_drain(const model::node_name& node,
                                                          const std::string& why,
                                                          std::int64_t now_ns) const;
  void ask_to_leave(const model::operation& drain, std::int64_t now_ns, effect_list& effects);
  void forget_asked(const model::node_name& node);
  void settle(std::int64_t now_ns, boot_time now, std::vector<model::event>& events) const;
  [[nodiscard]] bool grants_longer(const model::cluster_info& info) const noexcept;
  [[nodiscard]] boot_time longest_span() const noexcept;
  void note_leases(model::cluster_info& info, bool lapse, std::int64_t now_ns, boot_time now) const;
  void expire(std::int64_t now_ns, boot_time now, effect_list& effects);
  void track(desired_run run, bool sent);
  [[nodiscard]] bool unconfirmed(const tracked& run) const;
  /// Whether the QUEUE may have given the job to another run without having said so yet.
  [[nodiscard]] static bool may_be_over(const tracked& run) noexcept;
  [[nodiscard]] bool must_wait(const tracked& run) const;
  void order_start(const model::run_key& key, tracked& run, boot_time now,
                   model::agent_orders& orders);
  void order_stop(const model::run_key& key, tracked& run, boot_time now,
                  model::agent_orders& orders);
  void disown(const model::run_key& key, tracked& run, report_map& out);
  void supersede(boot_time alone_at);
  [[nodiscard]] result<void> check_forgettable(boot_time now) const;
  void settle_forgotten(boot_time now, effect_list& effects);
  void let_lapse(const model::run_key& key, boot_time alone_at, model::incarnation holder);
  void settle_lapsing(const model::cluster_info& told, boot_time now);
  void adopt(const std::vector<model::known_run>& runs);
  void compare(const model::agent_hello& message, boot_time now, effect_list& effects);
  /// Return whether the category holds: that of too many refusals to everybody does not.
  bool take_report(const model::run_report& report, boot_time now, effect_list& effects);
  bool judge_namespace(const tracked& run, const model::run_report& report, boot_time now,
                       effect_list& effects);
  [[nodiscard]] std::string namespaces_value(const std::vector<std::string>& served) const;
  void tell_all_nodes(effect_list& effects) const;
  void give_back_shut(effect_list& effects);
  void release_held(boot_time now, effect_list& effects);
  void resend(boot_time now, effect_list& effects);
  void emit(model::agent_orders orders, effect_list& effects) const;
  void emit(report_map reports, effect_list& effects) const;

  cluster_config config_;
  model::cluster_info info_;
  bool present_ = false;
  std::int64_t left_ns_ = 0;  ///< Unix time at which the cluster left, if it is not present.
  node_map nodes_;            ///< As the agent says, without cordons.
  cordons cordons_;
  drains drains_;
  closures closures_;

  model::leadership by_;  ///< The epoch is 0 when this process does not lead.
  contact_state contact_ = contact_state::gone;
  struct {
    std::int64_t said_ns = 0;
    model::incarnation incarnation;  ///< The incarnation of the agent that said it.
    bool finds = false;
  } hello_;  ///< The last hello.
  /// Another process that says hello with the present incarnation, and since when it does.
  model::agent_process rival_;
  boot_time rival_since_{};
  bool session_ = false;  ///< This incarnation said hello to this leader, and not goodbye.
  bool left_ = false;     ///< The agent said goodbye; the cluster leaves with the last of its runs.
  std::string goodbye_reason_;
  model::backend_trouble trouble_;
  std::string agent_version_;  ///< Empty until the agent has said hello to this process.
  boot_time last_contact_{};
  boot_time last_grant_{};
  boot_time inherited_until_{};  ///< By then longer leases of earlier leaders have passed; 0: none.

  run_map runs_;
  absl::btree_map<model::node_name, absl::btree_set<model::run_key>> by_node_;
  absl::btree_set<model::node_name> refusing_;   ///< Nodes that refused a run and began none since.
  absl::btree_set<model::run_key> unconfirmed_;  ///< Their orders may have to be sent again.
  absl::btree_set<model::run_key> held_;
  /// The runs that were sent to an older incarnation, which may or may not still live. No orders
  /// about them are sent but to look for them.
  absl::btree_map<model::run_key, lapsing_run> lapsing_;
  std::vector<model::run_key> tell_again_;  ///< The next tick tells their lapse; some may be over.
  absl::btree_map<model::run_key, model::stop_run> early_stops_;  ///< They overtook their start.

  report_window reports_;
};

/// A span for people, rounded up, such as "15 s".
[[nodiscard]] std::string in_seconds(boot_time span);

}  // namespace argosy::ledger
