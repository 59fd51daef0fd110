// SPDX-License-Identifier: Apache-2.0
// A process of a simulated world: an actor system on CAF's deterministic scheduler, whose handlers
// run on fibers, and the time-outs of its connection.
#pragma once

#include <caf/actor_system.hpp>
#include <caf/actor_system_config.hpp>
#include <caf/scheduler/test_coordinator.hpp>
#include <functional>
#include <memory>
#include <optional>
#include <string>

#include "bins/simulator/dice.hpp"
#include "bins/simulator/fibers.hpp"
#include "runtime/base/clock.hpp"
#include "runtime/bus/timer_queue.hpp"

namespace argosy::sim {

class process {
 public:
  /// Whether the process lives. Its seams keep this, and those of a dead one throw.
  using life = std::shared_ptr<const bool>;

  /// `owner` names its fibers, which outlive it. The boot clock of its machine shows `now`.
  process(fiber_pool& fibers, std::size_t owner, boot_time now);
  /// It must have been killed.
  ~process();
  process(const process&) = delete;
  process& operator=(const process&) = delete;

  [[nodiscard]] caf::actor_system& system() noexcept { return system_; }
  [[nodiscard]] const std::shared_ptr<bus::timer_queue>& timers() const noexcept { return timers_; }
  [[nodiscard]] life present_life() const noexcept { return life_; }

  /// When something is due by the boot clock.
  [[nodiscard]] std::optional<boot_time> due() const;
  /// The boot clock shows `now`.
  void follow(boot_time now);

  [[nodiscard]] bool has_work() const { return scheduler_.has_job(); }
  /// Chooses an actor that has a message, says which, and lets it handle that.
  void work(dice& order, const std::function<void(const std::string&)>& tell);

  /// Ends all as kill -9 does: first its seams, then what is blocked, then all actors. In between
  /// `let_go` drops every handle. Must not be called from within a handler.
  void kill(const std::function<void()>& let_go);

 private:
  struct deterministic_config : caf::actor_system_config {
    deterministic_config();
  };

  fiber_pool& fibers_;
  const std::size_t owner_;
  const boot_time began_;
  std::shared_ptr<bool> life_ = std::make_shared<bool>(true);
  deterministic_config config_;
  caf::actor_system system_;
  caf::scheduler::test_coordinator& scheduler_;
  std::shared_ptr<bus::timer_queue> timers_;
};

}  // namespace argosy::sim
