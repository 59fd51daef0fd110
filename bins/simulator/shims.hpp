// SPDX-License-Identifier: Apache-2.0
// The shims of an agent's machine: simulated runs that go on while their agent is dead, as those of
// the backend `process` do. An agent attaches itself and takes over what is alive.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <vector>

#include "runtime/backends/simulated/simulated_backend.hpp"

namespace argosy::sim {

class shims {
 public:
  /// Calls something after so much of the world's time.
  using later = std::function<void(std::chrono::nanoseconds, std::function<void()>)>;
  /// `told` gets every event when it happens, and `config` is of manual time.
  shims(backends::simulated_config config, backends::event_sink told, later after);

  /// The backend of an agent that begins. There is one at a time.
  [[nodiscard]] std::unique_ptr<backends::backend> attach(backends::event_sink sink);
  /// The agent is dead: it is told nothing more, and what it was told is not known to the next one.
  void detach() { sink_ = nullptr; }

  void advance(boot_time now);
  [[nodiscard]] std::optional<boot_time> next_due() const { return runs_->next_due(); }
  /// The shim of one of the runs dies, and its run with it.
  void kill_one(std::uint64_t which);
  /// All of them die. The machine's clock shows `now`, and its wall clock is ahead by so much.
  /// Unless they leave traces, as on a disk, the next agent takes their runs for never begun.
  void restart(boot_time now, std::int64_t wall_offset_ns, bool leave_traces);

 private:
  class attached;

  void make();
  void take(std::vector<model::run_event> events);
  std::vector<model::run_event> adopt(const std::vector<model::recorded_run>& known);
  void stop(const model::stop_run& order, std::chrono::nanoseconds grace);
  void kill(const model::run_key& run, std::string why);

  backends::simulated_config config_;
  const backends::event_sink told_;
  const later after_;
  std::unique_ptr<backends::simulated_backend> runs_;
  boot_time now_{};
  backends::event_sink sink_;  ///< The agent that lives; empty: there is none.
  std::map<model::run_key, model::run_event> alive_;  ///< Each with what happened to it last.
  std::map<model::run_key, model::run_event> ended_;  ///< What shims have left behind.
  std::set<model::run_key> killed_;                   ///< Runs whose shims were killed.
  std::set<model::run_key> stopping_;                 ///< Runs that got SIGTERM and ignore it.
  /// Later calls that outlast the shims ask it.
  std::shared_ptr<std::uint64_t> boot_ = std::make_shared<std::uint64_t>(0);
};

}  // namespace argosy::sim
