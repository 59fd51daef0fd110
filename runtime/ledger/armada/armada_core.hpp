// SPDX-License-Identifier: Apache-2.0
// The armada_core makes an agent of an executor of Armada: to a CLUSTER it says what an agent says,
// and to the executor what Armada's scheduler says. The executor keeps nothing for it and it keeps
// nothing on disk: all that it knows it has from the executor's lists and the CLUSTER's orders, so
// that it may begin anew at any time. An actor owns it; it is not thread-safe.
//
// A lease is no message that could get lost: whatever the CLUSTER wants and the executor does not
// name is leased, again and again. A run that ought to be gone is over when the executor names it
// no more.
#pragma once

#include <chrono>
#include <cstdint>
#include <deque>
#include <functional>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <unordered_set>
#include <vector>

#include "runtime/base/clock.hpp"
#include "runtime/ledger/armada/armada_exchange.hpp"

namespace argosy::ledger {

struct armada_config {
  model::cluster_name cluster;
  /// How runs are called in leases.
  std::function<std::string(const model::run_key&)> name_of;
  /// The runs that an id may name, if this process has not given it; empty: it names none.
  std::function<std::vector<model::run_key>(const std::string&)> runs_of;
  /// A run that has begun is lost when so many lists in a row do not name it.
  std::uint32_t absences_max = 3;
  /// Other nodes altogether, so soon after the last request, are another executor's.
  boot_time rival_window = std::chrono::minutes{1};
  std::size_t batch_max = 500;     ///< How many reports are under way at most.
  std::size_t ended_max = 10'000;  ///< How many runs that are over are remembered.
};

class armada_core {
 public:
  explicit armada_core(armada_config config);

  using effects = std::vector<armada_effect>;

  // These functions take what comes from the executor.

  /// Takes a request, whose number is answered by an armada_reply. Only one is served at a time.
  [[nodiscard]] effects request(std::uint64_t number, armada_request asked, boot_time now,
                                std::int64_t now_ns);
  /// Takes events. The reply is a ticket: the first armada_taken with it or a higher one answers
  /// them; with 0 they are answered at once. Repeated events change nothing. Fails with
  /// ec::unavailable as long as the executor has made no request.
  struct taken {
    result<std::uint64_t> ticket;
    effects then;
  };
  [[nodiscard]] taken events(const std::vector<armada_event>& told);
  /// Whether an event about the run is for this executor.
  [[nodiscard]] bool knows(const model::run_key& key) const;
  /// Whether a request was answered under the present session, so that all runs are known.
  [[nodiscard]] bool ready() const noexcept { return ready_; }

  // These functions take what comes from the CLUSTER.

  [[nodiscard]] effects orders(const model::agent_orders& wanted);
  [[nodiscard]] effects hello(const result<model::hello_ack>& answer, boot_time now);
  [[nodiscard]] effects nodes(const result<bool>& answer);
  [[nodiscard]] effects heartbeat(const result<model::heartbeat_ack>& answer);
  /// `incarnation` is that of the reports.
  [[nodiscard]] effects reports(model::incarnation incarnation,
                                const result<model::report_ack>& answer);

  /// No lease can be made of the run, for this reason: the CLUSTER is told that it never began.
  [[nodiscard]] effects unfit(const model::run_key& key, const std::string& why);

  /// The cluster_info::process by which the CLUSTER knows this executor.
  [[nodiscard]] model::agent_process process() const noexcept { return process_; }
  [[nodiscard]] const std::vector<model::node_info>& node_infos() const noexcept { return nodes_; }
  [[nodiscard]] std::size_t run_count() const noexcept { return runs_.size(); }
  [[nodiscard]] std::size_t outbox_size() const noexcept { return outbox_.size(); }
  /// How many events named a run that this executor was never given.
  [[nodiscard]] std::uint64_t foreign_events() const noexcept { return foreign_events_; }
  /// How many runs the executor named that it was never given, or not by this control plane.
  [[nodiscard]] std::uint64_t foreign_runs() const noexcept { return foreign_runs_; }
  /// How many leases were given, repeated ones counted each time.
  [[nodiscard]] std::uint64_t leases() const noexcept { return leases_; }

 private:
  /// What the CLUSTER is asked, one after the other, before a request is answered.
  enum class step : std::uint8_t {
    bare_hello,  ///< Without runs, so that the CLUSTER orders all that it wants.
    full_hello,
    nodes,
    heartbeat,
  };
  struct run {
    std::optional<model::start_run> start;  ///< Nothing: only its stop was ordered.
    bool stopping = false;
    bool listed = false;  ///< The last list names it.
    bool known = false;   ///< Some list named it.
    bool begun = false;
    std::uint32_t absences = 0;  ///< How many lists in a row do not name it.
    model::node_name node;
    std::optional<model::run_phase> reported;  ///< The furthest phase.
    model::pod_facts pod;                      ///< The facts of its pod that were reported.
    std::uint64_t last_report = 0;             ///< The sequence of its last report.
  };
  struct open_request {
    std::uint64_t number = 0;
    armada_request asked;
    std::deque<step> steps;
    bool greeted = false;  ///< It has said a bare hello.
    bool told = false;     ///< It has said a full hello under the present incarnation.
  };

  [[nodiscard]] result<void> check(const armada_request& asked, boot_time now) const;
  void plan(boot_time now);
  void take_list();
  void go_on(effects& out);
  void give_up(const error& why, effects& out);
  void conclude(effects& out);
  void resolve();
  void settle(const model::run_key& key, run& what);
  [[nodiscard]] static bool is_over(const run& what);
  run& find(const model::run_key& key);
  void note_listed(run& what, const std::string& id) const;
  void forget_ended();
  void remember(const std::string& id);
  void begin_life(model::incarnation incarnation, effects& out);
  void lose_session();
  [[nodiscard]] model::agent_hello make_hello(bool with_runs);
  [[nodiscard]] model::agent_nodes make_nodes() const;
  void report(const model::run_key& key, run& what, model::run_phase phase, std::int64_t time_ns,
              model::run_outcome outcome = {}, model::pod_facts pod = {});
  [[nodiscard]] std::uint64_t take(const armada_event& told);
  void flush(effects& out);

  armada_config config_;
  model::agent_process
      process_;           ///< Follows from the cluster's name, so that each process has the same.
  bool session_ = false;  ///< The CLUSTER has taken a hello, and refused nothing since.
  bool ready_ = false;    ///< A request was answered since, so that all runs are known.
  model::incarnation incarnation_;
  boot_time compare_{};
  boot_time last_hello_{};
  std::optional<boot_time> last_request_;
  boot_time now_{};
  std::int64_t now_ns_ = 0;
  std::int64_t last_said_ = 0;

  std::optional<open_request> open_;
  std::vector<model::node_info> nodes_;  ///< As the CLUSTER was told last.
  std::map<model::run_key, run> runs_;
  std::map<std::string, model::run_key, std::less<>> keys_;  ///< The runs by their ids.
  std::set<std::string> unresolved_;  ///< Ids of the last list of which nobody knows the run.
  std::set<std::string> foreign_;     ///< Those that the CLUSTER does not want either.
  /// The runs that the last hello named as possible ones, and those that the CLUSTER had stopped.
  std::set<model::run_key> possible_;
  std::set<model::run_key> refused_;
  std::unordered_set<std::string> ended_;
  std::deque<std::string> ended_order_;

  std::deque<model::run_report> outbox_;
  std::uint64_t last_sequence_ = 0;
  std::uint64_t committed_ = 0;
  bool sending_ = false;

  std::uint64_t foreign_events_ = 0;
  std::uint64_t foreign_runs_ = 0;
  std::uint64_t leases_ = 0;
};

}  // namespace argosy::ledger
