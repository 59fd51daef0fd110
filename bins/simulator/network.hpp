// SPDX-License-Identifier: Apache-2.0
// The network of a simulated world: a server through which all machines talk, as NATS is. Frames
// take their time; the server has those of one machine in the order in which they were sent, and
// those to one machine arrive in the order in which the server had them.
#pragma once

#include <chrono>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "bins/simulator/dice.hpp"
#include "bins/simulator/trouble.hpp"
#include "bins/simulator/virtual_time.hpp"
#include "runtime/bus/connection.hpp"
#include "runtime/bus/timer_queue.hpp"
#include "runtime/bus/transport.hpp"

namespace argosy::sim {

/// How a machine's link is.
enum class link_state : std::uint8_t {
  up,
  cut,        ///< The machine knows.
  half_open,  ///< Nothing passes, and the machine does not know yet.
  deaf,       ///< What the machine sends passes, and nothing comes back.
  mute,       ///< Nothing that the machine sends passes.
  dead,       ///< Nothing passes any more, ever.
};

/// What is bad about a link that is up.
struct link_faults {
  std::chrono::nanoseconds late{};  ///< What is sent comes so much later on average.
  bool repeats = false;             ///< Some requests come twice, the second time maybe much later.
  bool loses = false;  ///< Some of what reaches the machine is dropped, since it is too slow.

  friend bool operator==(const link_faults&, const link_faults&) = default;
};

class network {
 public:
  /// What a connection calls of the machine that it belongs to.
  struct owner {
    /// Runs what reached the machine when that is awake.
    std::function<void(std::function<void()>)> arrive;
    /// Called when a frame leaves or comes; may be empty.
    std::function<void(crash_point)> reached;
  };

  /// Both have to outlive the network.
  network(virtual_time& time, dice& chances) : time_(time), chances_(chances) {}

  struct link;
  struct subscriber;

  /// Makes a connection with a link of its own. Its time-outs are those of `timers`.
  [[nodiscard]] std::pair<std::shared_ptr<bus::connection>, std::shared_ptr<link>> connect(
      std::shared_ptr<bus::timer_queue> timers, owner of);

  void set(link& which, link_state to);
  /// The server has been started anew.
  void renew_server() { ++server_starts_; }
  static void set(link& which, const link_faults& to);

 private:
  class transport;
  class subscription;
  using frame_ptr = std::shared_ptr<const bus::delivery>;

  void publish(link& from, bus::frame content);
  /// The server has the frame.
  void route(const std::shared_ptr<link>& from, const frame_ptr& what);
  bool pass(const frame_ptr& what);

  virtual_time& time_;
  dice& chances_;
  std::uint64_t server_starts_ = 1;
  std::map<std::uint64_t, std::shared_ptr<link>> links_;
  std::vector<std::shared_ptr<subscriber>> subscribers_;
  std::uint64_t next_ = 0;
};

/// The place of a machine's link: how it is stays the same when one process follows another.
class network_port {
 public:
  explicit network_port(network& net) : net_(net) {}

  void set(link_state to) {
    state_ = to;
    if (link_) net_.set(*link_, to);
  }
  void set(const link_faults& to) {
    faults_ = to;
    if (link_) network::set(*link_, to);
  }
  [[nodiscard]] link_state state() const noexcept { return state_; }

  /// The link of the process that begins, or null for none.
  void use(std::shared_ptr<network::link> own) {
    link_ = std::move(own);
    if (!link_) return;
    network::set(*link_, faults_);
    if (state_ != link_state::up) net_.set(*link_, state_);
  }
  /// Nothing passes the link that is there now any more.
  void end_link() {
    if (link_) net_.set(*link_, link_state::dead);
  }

 private:
  network& net_;
  link_state state_ = link_state::up;
  link_faults faults_;
  std::shared_ptr<network::link> link_;
};

}  // namespace argosy::sim
