// SPDX-License-Identifier: Apache-2.0
// The runs of an agent as pods: which requests to the API server are due, and which events the pods
// amount to. It is pure: the backend tells it what comes in, with the time, and carries out what it
// returns. Times are CLOCK_BOOTTIME.
#pragma once

#include <chrono>
#include <cstdint>
#include <deque>
#include <functional>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "runtime/backends/backend.hpp"
#include "runtime/backends/kubernetes/output/output_saver.hpp"
#include "runtime/backends/kubernetes/pod_lease.hpp"
#include "runtime/backends/kubernetes/pod_view.hpp"
#include "runtime/backends/kubernetes/port_addresses.hpp"
#include "runtime/backends/kubernetes/run_table.hpp"
#include "runtime/backends/kubernetes/trouble/failure_rules.hpp"
#include "runtime/backends/kubernetes/trouble/node_state.hpp"
#include "runtime/backends/kubernetes/trouble/pod_watch.hpp"
#include "runtime/backends/kubernetes/trouble/refusal.hpp"
#include "runtime/backends/rules/kubernetes_rules.hpp"
#include "runtime/kube/acting_user.hpp"
#include "runtime/kube/api.hpp"

namespace argosy::backends {

/// The rules that all runs of an agent share.
struct pod_rules {
  std::string cluster;  ///< Pods with another value of the label argosy.io/cluster are not ours.
  kubernetes_rules set{};
  own_objects own{};
  /// How many pods are asked for at a time. Others wait here, where they take less memory than in
  /// the client of the API server, and where nothing else has to wait behind them.
  std::size_t creates_max = 128;
};

enum class pod_ask : std::uint8_t { create, doubt, look, remove, output };

struct pod_request {
  pod_ask what = pod_ask::look;
  model::run_key run;
  kube::request request{};
  bool followed = false;  ///< It is answered when the container has ended.
};

struct pod_step {
  std::vector<pod_request> requests;
  std::vector<saved_output> outputs;    ///< Those of runs whose pods are going.
  std::vector<model::run_key> running;  ///< Runs of which containers run.
  /// Runs whose pods have ended. They are not deleted before saved() is called.
  std::vector<model::run_key> ended;
  /// These of them should go, since more pods are kept than may be.
  std::vector<model::run_key> in_excess;
  /// Runs that are told to stop, and the container whose output `requests` read, if any.
  std::vector<std::pair<model::run_key, std::string>> stopping;
  std::vector<run_event> events;
  std::vector<model::run_key> erased;  ///< Runs of which nothing is left.
};

class pod_runs {
 public:
  explicit pod_runs(pod_rules rules) : rules_(std::move(rules)) {}

  /// Takes all pods that are listed, and the runs that the agent knows. Of these, those without a
  /// pod end as refused if `never_began` says that they certainly never did; the others are looked
  /// for by name, in one of `namespaces` (an empty name: in all) where their records name none,
  /// since whoever changes a pod's labels takes it out of the list. A pod that was taken for that
  /// of a run is left alone if the run's record names another namespace: it is a copy.
  [[nodiscard]] std::vector<run_event> adopt(
      const std::vector<model::recorded_run>& known, const std::vector<pod_view>& pods,
      const std::function<bool(const model::recorded_run&)>& never_began,
      const std::vector<std::string>& namespaces, std::int64_t wall_ns, boot_time now);
  /// Pods of runs that nobody knows are deleted once it is known that they belong to the agent's
  /// own control plane.
  void set_control_plane(const std::string& id, boot_time now);

  /// `attached` are the kinds of what the run has beside its pod. A run that is `held` has its pod
  /// made once it is released. `bare` is the manifest without what the agent's own settings add,
  /// for which no job is to blame; empty if they add nothing.
  void launch(const model::start_run& order, const nlohmann::json& pod, std::string bare,
              const kube::acting_user& owner, std::vector<std::string> attached, bool held,
              boot_time now);
  void release(const model::run_key& run, boot_time now);
  /// Takes where the pod of a run is reached, which is told once it runs.
  void set_addresses(const model::run_key& run, port_addresses addresses, std::int64_t wall_ns);
  /// Ends a run that is held.
  void refuse(const model::run_key& run, const refusal& why, boot_time now);
  void stop(const model::run_key& run, const std::string& message, boot_time grace, boot_time now);
  void stop_all(const std::string& message, boot_time now);
  void renew(const model::run_lease& lease, boot_time now);
  void forget(const model::run_key& run, boot_time now);

  /// A pod as the API server tells of it.
  void seen(pod_view pod, std::int64_t wall_ns, boot_time now);
  /// A pod as it was before it went.
  void gone(pod_view pod, std::int64_t wall_ns, boot_time now);
  /// All pods of one namespace, or of all for an empty name. Those that are missing are looked at.
  void listed(const std::string& name_space, std::vector<pod_view> pods, std::int64_t wall_ns,
              boot_time now);
  /// What Kubernetes tells of a pod.
  void event_seen(pod_event event, std::int64_t wall_ns, boot_time now);
  /// All nodes that there are, and how one has changed.
  void nodes_listed(const std::vector<nlohmann::json>& nodes, boot_time now);
  void node_changed(const nlohmann::json& node, boot_time now);
  void node_gone(const nlohmann::json& node, boot_time now);
  void answered(pod_ask what, const model::run_key& run, const result<kube::answer>& answer,
                std::int64_t wall_ns, boot_time now);
  void followed_to_its_end() { --followed_; }
  /// A collection is told again: requests that nobody answered need not wait any longer.
  void server_answers(boot_time now);
  /// Nothing is told of the pods of one namespace, or of all for an empty name, or it is again.
  /// Meanwhile nobody knows how they are, so that no wait of theirs goes on and nothing ends them.
  void pods_untold(const std::string& name_space, boot_time now);
  void pods_told(const std::string& name_space, boot_time now);
  /// The API server has answered nothing since then; `why` says so for people. Runs whose pods were
  /// certainly not made are given back, and the others go on as they are.
  void server_lost(boot_time since, const std::string& why, std::int64_t wall_ns, boot_time now);
  void server_back(boot_time now);
  /// Does what is due.
  void tick(std::int64_t wall_ns, boot_time now);
  [[nodiscard]] boot_time next_due();

  /// Hands over what has to be done since the last call.
  [[nodiscard]] pod_step take();
  /// Where the output of a container is, of the first if it has no name; nothing without a pod.
  [[nodiscard]] std::optional<pod_place> place(const model::run_key& run,
                                               const std::string& container = {}) const;
  /// Where the outputs of its containers are that have ended, or that run.
  [[nodiscard]] std::vector<pod_place> places(const model::run_key& run, bool or_run) const;
  /// What could be read of the output of an ended run was read.
  void saved(const model::run_key& run, boot_time now);
  [[nodiscard]] std::size_t size() const noexcept { return runs_.size(); }
  [[nodiscard]] bool has_strangers() const noexcept {
    return !strangers_.empty() || !ending_strangers_.empty();
  }
  /// Whether the run is known and its end has not been told.
  [[nodiscard]] bool is_open(const model::run_key& run) const;

 private:
  /// Why the agent ends a run, and what it tells once the pod is gone.
  struct ending {
    model::run_phase phase = model::run_phase::stopped;
    std::string reason;
    std::string message;
    std::int64_t grace_seconds = 1;
    /// The reason holds even if the pod says that it failed for another one, as it does when it is
    /// ended.
    bool prevails = false;
    /// The pod is ended only while it is as it was when this was decided; empty: in any case.
    std::string version{};
    /// The run ends only if it has no pod; one that is found goes on.
    bool if_absent = false;
    std::string category{};  ///< The category of the outcome.
    model::affinity_terms reach{};
    /// Its lease has lapsed, which nobody takes back. Only a pod that had ended before says
    /// otherwise.
    bool lapsed = false;

    static ending of(const refusal& why) {
      const bool fails = why.kind == refusal_kind::for_good;
      ending out{fails ? model::run_phase::failed : model::run_phase::refused, why.reason,
                 why.message};
      out.category = why.category;
      out.reach = why.reach;
      return out;
    }
    [[nodiscard]] bool is_conditional() const { return if_absent || !version.empty(); }
  };

  struct pod_run {
    std::string name_space;
    std::vector<std::string> attached;  ///< As that of the order.
    std::string name;
    std::string manifest;              ///< Until the pod is there.
    std::string bare;                  ///< That of launch(), until then.
    std::optional<refusal> refused{};  ///< The pod was, and `bare` is asked for.
    std::int64_t grace_seconds = 1;
    kube::acting_user owner;
    port_addresses addresses;
    bool lapses = false;     ///< It ends when the lease lapses.
    bool as_agent = false;   ///< The owner may not delete the pod, so that the agent does.
    bool held = false;       ///< Something has to be there before the pod.
    bool save = false;       ///< Its output is to be read before it is deleted.
    bool there = false;      ///< The pod has been seen.
    bool uncertain = false;  ///< A request to create it may have taken effect.
    bool clash = false;      ///< The API server says that the name is taken.
    bool asking = false;     ///< A request is under way.
    bool outdated = false;   ///< The request that is under way is about another pod.
    bool queued = false;     ///< It waits in creates_ for its creation to be asked for.
    bool look = false;       ///< The next request looks at the pod.
    bool told_end = false;
    bool unanswered = false;  ///< So was the last request.
    bool last_order = false;  ///< The pod was deleted with the shortest grace period.
    std::uint32_t tries = 0;
    std::optional<boot_time> first_try;  ///< When its creation was asked for first.
    boot_time due{};                     ///< When the next request is due, if one is wanted.
    std::optional<ending> end;
    model::run_phase told = model::run_phase::accepted;
    bool adopted = false;  ///< An earlier agent had it made.
    /// The other namespaces where its pod may be, of which nothing but the name is known.
    std::vector<std::string> elsewhere{};
    pod_watch watch;
    std::optional<boot_time> drop;  ///< When the pod of an ended run is deleted.
    bool save_asked = false;        ///< Its output was asked for.
    bool saving = false;            ///< Its output is being read, before which the pod stays.
    std::uint64_t kept_as = 0;      ///< Its place in kept_; 0: none.
    std::optional<pod_view> last;

    /// Whether no request to make the pod may have taken effect, and none is under way.
    [[nodiscard]] bool is_unmade() const { return !there && !uncertain && !clash && !asking; }
    /// Whether this pod is not that of the run: it has another place or name, or was made anew.
    [[nodiscard]] bool is_other(const pod_view& pod) const {
      return name != pod.name || (!name_space.empty() && name_space != pod.name_space) ||
             (last && !last->uid.empty() && !pod.uid.empty() && last->uid != pod.uid);
    }
  };
  /// When the next request of a run is due, or it has to be looked after.
  struct due_of {
    [[nodiscard]] static boot_time request(const pod_run& run);
    [[nodiscard]] boot_time operator()(const pod_run& run) const;
  };

  /// `asked` says that the API server was asked for this pod, so that it is as it is now.
  void note(const model::run_key& key, pod_run& run, pod_view pod, std::int64_t wall_ns,
            boot_time now, bool asked = false);
  /// Ends a run whose pod is in trouble for too long, and tells what it waits for. What a watch has
  /// told may be old, so that the pod is asked for before that.
  void look_after(const model::run_key& key, pod_run& run, std::int64_t wall_ns, boot_time now,
                  bool asked = false);
  void tell_wait(const model::run_key& key, pod_run& run, const std::string& kind,
                 const std::string& text, std::int64_t wall_ns);
  /// Tells of a right that the agent lacks.
  void tell_refused(const model::run_key& key, pod_run& run, const result<kube::answer>& answer,
                    const char* verb, std::int64_t wall_ns);
  void nodes_told(const std::vector<std::string>& changed, boot_time now);
  [[nodiscard]] const node_state* node_of(const pod_run& run) const;
  void classify(const pod_run& run, model::run_outcome& outcome) const;
  [[nodiscard]] static model::pod_facts facts_of(const pod_run& run);
  void tell(const model::run_key& key, pod_run& run, model::run_phase phase,
            model::run_outcome outcome, std::int64_t time_ns);
  void begin_end(pod_run& run, ending why, boot_time now);
  /// Ends a run whose pod was not made, once it is certain that it was not.
  void give_up(pod_run& run, ending why, boot_time now);
  /// What the cluster refused to one run of a namespace, or of a part of it, it would refuse to
  /// those that still wait there: they end like it, and nobody asks for their pods.
  void refuse_others(const pod_run& like, boot_time now);
  static void withdraw_end(pod_run& run, boot_time now);
  /// Whether nobody knows how the pods of this namespace are.
  [[nodiscard]] bool is_untold(const std::string& name_space) const;
  void resume_told(boot_time now);
  /// Ends all runs whose lease lapses, or those of the set.
  void lapse_all(boot_time now, const std::set<model::run_key>* only = nullptr);
  [[nodiscard]] ending given_back_unmade() const;
  void drop_at(const model::run_key& key, pod_run& run, boot_time when);
  void send(const model::run_key& key, pod_run& run, boot_time now);
  /// Lets so many runs of creates_ ask for their creation as may.
  void let_create();
  void ask_output(const model::run_key& key, pod_run& run);
  void output_read(const model::run_key& key, const result<kube::answer>& answer);
  void ask_to_save(const model::run_key& key, pod_run& run);
  void try_again(pod_run& run, boot_time now);
  void created(const model::run_key& key, pod_run& run, const result<kube::answer>& answer,
               std::int64_t wall_ns, boot_time now);
  /// Whether the server would take the pod without what the agent's settings add to it.
  void doubted(pod_run& run, const result<kube::answer>& answer, boot_time now);
  void looked(const model::run_key& key, pod_run& run, const result<kube::answer>& answer,
              std::int64_t wall_ns, boot_time now);
  void removed(const model::run_key& key, pod_run& run, const result<kube::answer>& answer,
               std::int64_t wall_ns, boot_time now);
  /// The pod is certainly not there; the run ends if it has not, and is erased.
  void vanish(const model::run_key& key, std::int64_t wall_ns);
  void adopt_stranger(const pod_view& pod, boot_time now);
  void take_stranger(const pod_view& pod, boot_time now);
  void end_strangers(boot_time now);
  /// The run whose pod it is, by its labels, or by its UID where somebody has changed them; nothing
  /// if it is nobody's here.
  [[nodiscard]] std::optional<model::run_key> run_of(const pod_view& pod) const;

  const pod_rules rules_;
  std::string control_plane_;
  pod_lease lease_;
  std::set<model::run_key> lapsing_;  ///< Runs that have lapsed, whose deletion is not answered.
  struct absence {
    boot_time since{};
    std::string why;
  };
  std::optional<absence> away_;   ///< Set while the API server does not answer.
  std::set<std::string> untold_;  ///< Namespaces of whose pods nothing is told.
  run_table<pod_run, due_of> runs_;
  struct stranger {
    pod_view pod;
    std::uint64_t grants = 0;  ///< Those before it was seen.
  };
  /// Pods of runs that nobody knows, until it is known that they are nobody's, and those of them
  /// that are being ended.
  std::map<model::run_key, stranger> strangers_;
  std::set<model::run_key> ending_strangers_;
  node_states nodes_;
  /// The ended runs whose pods are there, the oldest first.
  std::map<std::uint64_t, model::run_key> kept_;
  std::uint64_t last_kept_ = 0;
  std::deque<model::run_key> creates_;
  std::size_t creating_ = 0;  ///< Requests to create a pod that are under way.
  std::size_t followed_ = 0;  ///< Outputs that are read until their containers end.
  pod_step step_;
};

/// How long to wait after so many tries before the next one.
[[nodiscard]] boot_time pause_after(std::uint32_t tries);

/// Judges what the creation of something that a run needs was answered with; it was no success.
[[nodiscard]] refusal judge_refusal(const result<kube::answer>& answer,
                                    const kubernetes_rules& rules);

}  // namespace argosy::backends
