// SPDX-License-Identifier: Apache-2.0
// A user's end of the network: a connection whose time-outs follow the world's time. Users have no
// machine that could be paused or killed.
#pragma once

#include <memory>
#include <optional>

#include "bins/simulator/machine.hpp"
#include "runtime/bus/connection.hpp"

namespace argosy::sim {

class user_end {
 public:
  /// `around` outlives it.
  explicit user_end(surroundings& around);
  ~user_end();
  user_end(const user_end&) = delete;
  user_end& operator=(const user_end&) = delete;

  [[nodiscard]] bus::connection& connection() noexcept { return *connection_; }
  void set_link(link_state to) { around_.net.set(*link_, to); }
  void set_link(const link_faults& to) { network::set(*link_, to); }

  /// When one of its time-outs is due.
  [[nodiscard]] std::optional<virtual_time::duration> due() const { return timers_->next_due(); }
  void follow_time() { timers_->advance(around_.time.now() - timers_->now()); }

 private:
  surroundings& around_;
  std::shared_ptr<bus::timer_queue> timers_ = std::make_shared<bus::timer_queue>(true);
  std::shared_ptr<bus::connection> connection_;
  std::shared_ptr<network::link> link_;
};

}  // namespace argosy::sim
