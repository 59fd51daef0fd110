// SPDX-License-Identifier: Apache-2.0
// How an agent carries out runs: the seam between the EXECUTOR and processes, pods or a simulation.
// The functions are called by one owner, one at a time; they return quickly and do not wait for the
// run. Events are told through the sink, from any thread, and those of one run in the order in
// which they happened. The end of a run is told once.
#pragma once

#include <chrono>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "runtime/base/result.hpp"
#include "runtime/model/agent.hpp"
#include "runtime/model/agent_run.hpp"
#include "runtime/model/lease.hpp"
#include "runtime/model/process_plan.hpp"

namespace argosy::backends {

/// Outcome reasons that backends give besides those of the command itself (see shim_status).
namespace reason {
/// The run is refused for what its job asks for; the message names the field that cannot be carried
/// out. The job fails, since it would be refused again.
inline constexpr const char* unsupported = model::reason_unsupported;
/// The run is refused; it certainly never ran.
inline constexpr const char* not_started = "NotStarted";
/// The run is refused because of a fault of the machine.
inline constexpr const char* backend_error = model::reason_backend_error;
/// The run failed; it asks for a user or group that the operator of the machine does not allow.
inline constexpr const char* user_not_allowed = model::reason_user_not_allowed;
/// The run failed; its end was not seen, and it is not running.
inline constexpr const char* lost = model::reason_lost;
}  // namespace reason

using model::run_event;

/// Takes at least one event. It must not call the backend.
using event_sink = std::function<void(std::vector<run_event>)>;

/// Takes a part of a run's output, or why there is none.
using log_taker = std::function<void(result<model::log_chunk>)>;

/// A run to start.
struct run_launch {
  std::shared_ptr<const model::start_run> order;
  model::process_plan plan;
  /// The manifests as JSON, where that is what the backend wants: of the pod, and of the services
  /// and ingresses that belong to it.
  std::string pod{};
  std::vector<std::string> attached{};
  /// The groups of the job's owner.
  std::vector<std::string> owner_groups{};
  /// The control plane in whose name the run is started.
  std::string control_plane{};
  /// An earlier agent has begun it, if anybody has: it is taken over or told to be gone, and not
  /// begun. Nothing but the order is set. Only backends whose runs outlive their agent are asked.
  bool find = false;
};

class backend {
 public:
  virtual ~backend() = default;

  /// What the control plane has to know of it. Those whose name says it (model::traits_of) have
  /// nothing to add.
  [[nodiscard]] virtual model::backend_traits traits() const { return {}; }
  /// Which part of a plan start() looks at.
  [[nodiscard]] virtual model::plan_contents wanted_plan() const = 0;

  /// Whether it is known what runs there are, but for some that has_more_runs() tells of. Until
  /// then trouble() says why not, and nothing but nodes(), trouble(), renew(), read_log() and
  /// shutdown() may be called. Once true it stays so, and becoming so counts as a change of nodes.
  [[nodiscard]] virtual bool is_ready() const { return true; }
  /// Whether a part of the runs that could not be seen before can be now: then inherit() and
  /// adopt() are to be called again. Becoming so counts as a change of nodes.
  [[nodiscard]] virtual bool has_more_runs() const { return false; }

  /// Whether agents of the cluster have left runs that say to which control plane they belong. Then
  /// inherit() is to be called by one that knows its own. To be asked once it is ready.
  [[nodiscard]] virtual bool has_left_runs() const { return false; }

  /// Runs that are not among `known` and were left by agents of the control plane that had another
  /// store; `control_plane` may be empty where has_left_runs() says no. They are to be given to
  /// adopt() with the known ones. A backend whose runs are known by its store alone has none. Call
  /// this at most once before each adopt().
  [[nodiscard]] virtual model::inherited_runs inherit(const std::vector<model::recorded_run>& known,
                                                      const std::string& control_plane) {
    static_cast<void>(known);
    static_cast<void>(control_plane);
    return {};
  }

  /// Call this once it is ready, and before anything else that starts or ends runs, with the
  /// runs that the agent has recorded and whose end it does not know. Returns one event for each:
  /// the run is alive (pending, running), ended, certainly never started (refused,
  /// reason::not_started), or lost (failed, reason::lost). Runs that are alive but not `known` ones
  /// are killed. Runs that has_more_runs() may tell of have their events in the next call, which
  /// has no others, and those that have to be looked for have theirs later, through the sink.
  [[nodiscard]] virtual result<std::vector<run_event>> adopt(
      const std::vector<model::recorded_run>& known) = 0;

  /// Starts a run, which must be recorded already. A run that cannot be started ends as refused.
  virtual void start(run_launch run) = 0;

  /// Ends a run: it gets SIGTERM, and SIGKILL after the grace period. Nothing happens if the run
  /// has ended, and further calls for one run change nothing.
  virtual void stop(const model::stop_run& order, std::chrono::nanoseconds grace) = 0;

  /// Stops all runs, each with its own grace period.
  virtual void stop_all(const std::string& reason) = 0;

  /// Runs may go on until the lease has passed. Then they are ended, within its kill grace, even if
  /// the agent is not alive.
  virtual void renew(const model::run_lease& lease) = 0;

  /// The end of the run is known to the control plane; its output is kept as long as there is room.
  virtual void forget(const model::run_key& run) = 0;

  [[nodiscard]] virtual std::vector<model::node_info> nodes() const = 0;

  /// Why no run can be begun now, and nobody knows how those are that were begun.
  [[nodiscard]] virtual model::backend_trouble trouble() const { return {}; }

  /// Whether there is something alive that another agent of the cluster may have begun.
  [[nodiscard]] virtual bool has_strangers() const { return false; }

  /// Calls `told` from any thread whenever nodes() or trouble() gives something else than before. A
  /// backend of which neither changes does nothing. Call this before adopt().
  virtual void on_nodes_changed(std::function<void()> told) { static_cast<void>(told); }

  /// Reads a part of a run's output. It may be called from any thread. `take` is called once, at
  /// once or later and from any thread, with ec::not_found if nothing is kept of the run; it is
  /// dropped if the backend is shut down before.
  virtual void read_log(const model::log_request& request, log_taker take) const = 0;

  /// No event is delivered after it returns. Runs that outlive an agent go on. A repeated call does
  /// nothing.
  virtual void shutdown() = 0;
};

}  // namespace argosy::backends
