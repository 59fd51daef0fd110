// SPDX-License-Identifier: Apache-2.0
// A machine of a simulated world has clocks, a link, a disk and at most one process. It can be
// paused, and its process can be killed.
#pragma once

#include <algorithm>
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
#include "bins/simulator/virtual_time.hpp"

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
};

/// Where a crash is aimed at.
enum class crash_point : std::uint8_t {
  append_begins,  ///< The log does not have the record.
  append_stored,  ///< The log has the record, and the process does not know.
  commit_begins,
  commit_stored,
  asked,  ///< A user has just sent it a request.
};
inline constexpr std::uint64_t crash_points = 5;

/// The crashes that a process has before it, each at a point to which it comes.
class crash_aims {
 public:
  /// Calls this once when the process next comes to the point.
  void add(crash_point at, std::function<void()> hit) { all_.emplace_back(at, std::move(hit)); }
  void clear() { all_.clear(); }
  /// The process is at the point.
  void reach(crash_point point) {
    const auto at = std::ranges::find(all_, point, [](const auto& one) { return one.first; });
    if (at == all_.end()) return;
    const auto hit = std::move(at->second);
    all_.erase(at);
    hit();
  }

 private:
  std::vector<std::pair<crash_point, std::function<void()>>> all_;
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
  /// Sets its link, and that of the processes that it starts.
  void set_link(link_state to);
  /// Its disk is so many times slower.
  void set_slowness(double times) { slowness_ = times; }
  [[nodiscard]] crash_aims& aims() noexcept { return aims_; }

  /// When something is due in it, in the world's time.
  [[nodiscard]] virtual std::optional<virtual_time::duration> due();
  /// Brings its process to the present.
  virtual void follow_time();
  [[nodiscard]] bool has_work() const { return is_up() && !is_paused() && process_->has_work(); }
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
  [[nodiscard]] bool has_link() const { return wanted_link_ == link_state::up; }

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
  void when_awake(std::function<void()> what);

  machine_clock clock_;
  /// When it goes on; nothing if it is not paused.
  std::optional<virtual_time::duration> awake_at_;
  double slowness_ = 1;
  link_state wanted_link_ = link_state::up;
  std::deque<std::function<void()>> waiting_;  ///< What reached it while it was paused.
  crash_aims aims_;
  std::shared_ptr<network::link> link_;
};

}  // namespace argosy::sim
