// SPDX-License-Identifier: Apache-2.0
// A machine of a simulated world has clocks, a link, a disk and at most one process. It can be
// paused, and its process can be killed.
#pragma once

#include <deque>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "bins/simulator/dice.hpp"
#include "bins/simulator/fibers.hpp"
#include "bins/simulator/machine_clock.hpp"
#include "bins/simulator/network.hpp"
#include "bins/simulator/process.hpp"
#include "bins/simulator/run_trace.hpp"
#include "bins/simulator/trouble.hpp"
#include "bins/simulator/virtual_time.hpp"
#include "runtime/base/result.hpp"
#include "runtime/model/identifiers.hpp"
#include "runtime/store/in_memory.hpp"

namespace argosy::sim {

/// Takes a sentence about what the simulation found to be wrong with the product.
using finding_taker = std::function<void(std::string)>;

/// What all machines share. It outlives them.
struct surroundings {
  surroundings(dice& seeds, const std::string& trace_file)
      : network_chances(seeds.next()),
        disk_chances(seeds.next()),
        order(seeds.next()),
        trace(trace_file) {}
  surroundings(const surroundings&) = delete;
  surroundings& operator=(const surroundings&) = delete;

  virtual_time time;
  dice network_chances;
  dice disk_chances;
  dice order;  ///< Chooses who comes next among those that could.
  network net{time, network_chances};
  fiber_pool fibers;
  run_trace trace;
  finding_taker found;
  std::function<void()> asked;  ///< Called when a user sends a request.
  /// Called with each record that a log has taken from a control plane.
  std::function<void(model::log_position, std::string_view data)> stored;
  /// A copy of the store of whoever leads; null: nobody does.
  std::function<std::unique_ptr<store::memory_database>()> leaders_store;
  /// Called with the number of a control plane that begins to lead.
  std::function<void(std::size_t)> leads;
  /// Whether a fault that lasts explains such an answer to a request.
  std::function<bool(ec code)> excuses;
};

class machine {
 public:
  machine(std::string name, std::size_t number, surroundings& around);
  virtual ~machine() = default;
  machine(const machine&) = delete;
  machine& operator=(const machine&) = delete;

  [[nodiscard]] machine_clock& clock() noexcept { return clock_; }
  [[nodiscard]] bool is_up() const noexcept { return process_ != nullptr; }
  [[nodiscard]] bool is_paused() const noexcept { return awake_at_.has_value(); }

  /// Starts its process, unless it has one.
  void start();
  /// Ends its process as kill -9 does, if it has one. Must not be called from within a handler.
  void kill();
  /// Kills its process, and starts one again after a while.
  void crash(virtual_time::duration away);
  /// Nothing of its process happens for this long, while its clocks go on.
  void pause(virtual_time::duration time);
  /// Its link, and that of the processes that it starts.
  [[nodiscard]] network_port& port() noexcept { return port_; }
  /// What is wrong with it, and what is going to be.
  [[nodiscard]] condition& health() noexcept { return health_; }
  /// Its process does nothing any more that could be seen from outside, until it is killed. A
  /// handler may call this.
  void doom();

  /// When something is due in it, in the world's time.
  [[nodiscard]] virtual std::optional<virtual_time::duration> due();
  /// Brings its process to the present.
  virtual void follow_time();
  [[nodiscard]] bool has_work() const { return is_running() && process_->has_work(); }
  /// Lets one of its actors handle a message.
  void work();

  // For its seams.

  /// Adds a line to the trace.
  void tell(std::string_view what) { around_.trace.add(around_.time.now(), name_, what); }
  [[nodiscard]] process::life present_life() const { return process_->present_life(); }
  /// Blocks for a disk's time around this mean, or for exactly this long; from outside of a fiber
  /// it returns at once. Throws machine_killed if the process of that life is dead.
  void wait_for_disk(virtual_time::duration mean, const process::life& of);
  void wait(virtual_time::duration time, const process::life& of);

 protected:
  /// Makes the process; it runs in a fiber.
  virtual void launch() = 0;
  /// Lets go of all actors and connections.
  virtual void let_go() = 0;
  [[nodiscard]] std::shared_ptr<bus::connection> connect();
  /// Its process has ended by itself, and is started again a while later. A handler, or launch()
  /// itself, may call this.
  void ended(std::string_view why);

  surroundings& around_;
  const std::string name_;
  const std::size_t number_;
  std::unique_ptr<process> process_;  ///< Null while it has none.

 private:
  [[nodiscard]] bool is_running() const noexcept { return is_up() && !is_paused() && !doomed_; }
  void when_awake(std::function<void()> what);

  machine_clock clock_;
  /// When it goes on; nothing if it is not paused.
  std::optional<virtual_time::duration> awake_at_;
  bool doomed_ = false;  ///< A crash is due, and nothing more may come of the process.
  condition health_;
  network_port port_;
  std::deque<std::function<void()>> waiting_;  ///< What reached it while it was paused.
};

}  // namespace argosy::sim
