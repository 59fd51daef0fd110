// SPDX-License-Identifier: Apache-2.0
// An agent that a test controls: the test sees what the agent was told to start and stop, and
// decides when it answers. It is no traced actor, so that it lives on when a control plane in the
// same system ends.
#pragma once

#include <caf/actor_system.hpp>
#include <caf/send.hpp>
#include <deque>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "actors/interfaces/executor.hpp"
#include "actors/interfaces/root.hpp"
#include "actors/interfaces/state/cluster.hpp"
#include "runtime/base/error.hpp"

namespace argosy::tests {

/// What the agent does and has seen. The test and the actor share it; both run in one thread.
struct agent_script {
  model::cluster_info cluster;
  std::vector<model::node_info> nodes;
  actors::root_actor root;

  bool starts_runs = true;      ///< A started run is reported pending and running at once.
  bool refuses_starts = false;  ///< A started run is refused at once, for this reason.
  model::run_outcome refusal{std::nullopt, 0, "BackendError", "no space left on device"};
  bool obeys_stops = true;           ///< A stopped run is reported as stopped at once.
  bool silent = false;               ///< The agent is cut off: it says nothing and answers nothing.
  bool take_over = false;            ///< Whether its hellos ask to take over.
  model::backend_trouble trouble{};  ///< What its hellos say.

  std::string output = "hello\n";  ///< The output of every run, all of it from the start.
  std::map<model::run_key, model::start_run> live;
  std::map<model::run_key, int> begun;  ///< How often each run's command was begun.
  std::vector<model::stop_run> stops;
  std::deque<model::run_report> outbox;
  std::uint64_t sequence = 0;
  model::epoch epoch_seen;
  model::claim_nonce nonce_seen;  ///< What its hellos tell of the claim of that epoch.
  int hellos = 0;                 ///< How many hellos were acknowledged.
  std::vector<error> errors;

  /// The first hello of its incarnation was acknowledged.
  bool connected = false;
  bool reporting = false;
  actors::cluster_actor session;

  void add_report(const model::run_key& run, model::run_phase phase, model::run_outcome outcome,
                  std::int64_t time_ns);
};

using scripted_agent_actor =
    actors::executor_actor::extend<caf::reacts_to<atom::hello>, caf::reacts_to<atom::tick>,
                                   caf::reacts_to<atom::flush>, caf::reacts_to<atom::goodbye>,
                                   caf::reacts_to<atom::nodes>>;

scripted_agent_actor spawn_scripted_agent(caf::actor_system& system,
                                          std::shared_ptr<agent_script> script);

/// The script and its actor.
class scripted_agent {
 public:
  scripted_agent(caf::actor_system& system, model::cluster_info cluster,
                 std::vector<model::node_info> nodes);

  agent_script* operator->() const { return script_.get(); }
  void hello() const { caf::anon_send(actor_, atom::hello_v); }
  void goodbye() const { caf::anon_send(actor_, atom::goodbye_v); }
  /// Tells the control plane the script's nodes without a hello.
  void tell_nodes() const { caf::anon_send(actor_, atom::nodes_v); }
  /// Reports the end of the job's live run, which the agent must have.
  void end(const std::string& job, model::run_phase phase, model::run_outcome outcome = {}) const;
  /// Reports that the job's live run is in this phase, with a note.
  void say(const std::string& job, model::run_phase phase, const std::string& note) const;
  /// Whether the job has a live run here.
  [[nodiscard]] bool has(const std::string& job) const { return find(job) != script_->live.end(); }
  /// How many runs of the job were begun here.
  [[nodiscard]] int begun(const std::string& job) const;
  void kill();

 private:
  [[nodiscard]] std::map<model::run_key, model::start_run>::iterator find(
      const std::string& job) const;

  std::shared_ptr<agent_script> script_;
  scripted_agent_actor actor_;
};

/// A node with this many whole cores and much of everything else.
model::node_info node_of(const std::string& name, int cores);

}  // namespace argosy::tests
