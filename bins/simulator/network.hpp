// SPDX-License-Identifier: Apache-2.0
// The network of a simulated world: a server through which all machines talk, as NATS is. Frames
// take their time; those to one machine arrive in the order in which the server had them.
#pragma once

#include <chrono>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "bins/simulator/dice.hpp"
#include "bins/simulator/virtual_time.hpp"
#include "runtime/bus/connection.hpp"
#include "runtime/bus/timer_queue.hpp"

namespace argosy::sim {

/// How a machine's link is.
enum class link_state : std::uint8_t {
  up,
  cut,        ///< The machine knows.
  half_open,  ///< Nothing passes, and the machine does not know yet.
};

class network {
 public:
  /// Runs what reached a machine when that is awake.
  using when_awake = std::function<void(std::function<void()>)>;

  /// Both have to outlive the network.
  network(virtual_time& time, dice& chances) : time_(time), chances_(chances) {}

  struct link;
  struct subscriber;

  /// Makes a connection with a link of its own. Its time-outs are those of `timers`.
  [[nodiscard]] std::pair<std::shared_ptr<bus::connection>, std::shared_ptr<link>> connect(
      std::shared_ptr<bus::timer_queue> timers, when_awake arrive);

  void set(link& which, link_state to);

 private:
  class transport;
  class subscription;

  void publish(const link& from, bus::frame content);

  virtual_time& time_;
  dice& chances_;
  std::map<std::uint64_t, std::shared_ptr<link>> links_;
  std::vector<std::shared_ptr<subscriber>> subscribers_;
  std::uint64_t next_ = 0;
};

}  // namespace argosy::sim
