// SPDX-License-Identifier: Apache-2.0
// How an agent carries out runs: the seam between the EXECUTOR and processes, pods or a simulation.
// The functions are called by one owner, one at a time; they return quickly and do not wait for the
// run. What happens is told through the sink, from any thread and in the order in which it happened
// to a run. Nobody is told twice that a run ended.
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
inline constexpr const char* unsupported = "Unsupported";     ///< refused: names the field.
inline constexpr const char* not_started = "NotStarted";      ///< refused: certainly never ran.
inline constexpr const char* backend_error = "BackendError";  ///< refused: the machine's fault.
inline constexpr const char* lost = "Lost";  ///< failed: its end was not seen; it is not running.
}  // namespace reason

using model::run_event;

/// Called with at least one event. Must not call the backend.
using event_sink = std::function<void(std::vector<run_event>)>;

/// A run to start.
struct run_start {
  std::shared_ptr<const model::start_run> order;
  model::process_plan plan;
};

class backend {
 public:
  virtual ~backend() = default;

  /// "process" or "simulated".
  [[nodiscard]] virtual std::string name() const = 0;
  /// What of a plan start() looks at.
  [[nodiscard]] virtual model::plan_contents wanted_plan() const = 0;

  /// To be called once, before anything else, with the runs that the agent has recorded and whose
  /// end it has not. One event for each: alive (pending, running), ended, certainly never started
  /// (refused, reason::not_started), or lost (failed, reason::lost). Runs that are alive but not
  /// among them are killed.
  [[nodiscard]] virtual result<std::vector<run_event>> adopt(
      const std::vector<model::run_key>& known) = 0;

  /// The run must be recorded already. A run that cannot be started ends as refused.
  virtual void start(run_start run) = 0;

  /// SIGTERM, after the grace period SIGKILL. Nothing happens if the run has ended; further calls
  /// for one run change nothing.
  virtual void stop(const model::stop_run& order, std::chrono::nanoseconds grace) = 0;

  /// Stops all runs, each with its own grace period.
  virtual void stop_all(const std::string& reason) = 0;

  /// Runs may go on until the lease has passed. Then they are ended, within its kill grace, even if
  /// the agent is not alive.
  virtual void renew(const model::run_lease& lease) = 0;

  /// The end of the run is known to the control plane; its output is kept as long as there is room.
  virtual void forget(const model::run_key& run) = 0;

  [[nodiscard]] virtual std::vector<model::node_info> nodes() const = 0;

  /// Callable from any thread. ec::not_found if nothing is kept of the run.
  [[nodiscard]] virtual result<model::log_chunk> read_log(
      const model::log_request& request) const = 0;

  /// No event is delivered after it returns. Runs that outlive an agent go on. Idempotent.
  virtual void shutdown() = 0;
};

}  // namespace argosy::backends
