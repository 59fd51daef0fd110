// SPDX-License-Identifier: Apache-2.0
// The subscriptions of a session: live ones, and those that wait for their end.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <mutex>
#include <string>
#include <string_view>
#include <vector>

#include "runtime/bus/nats/right_of_way.hpp"
#include "runtime/bus/nats/session.hpp"
#include "runtime/bus/transport.hpp"

namespace argosy::bus {

/// How long serve() waits to hear whether the server permits it.
inline constexpr std::int64_t serve_wait_ms = 2'000;

class subscription_list {
 public:
  subscription_list();
  ~subscription_list();

  right_of_way way;  ///< All who send over the connection keep it.

  /// Returns the id of the new one.
  result<std::uint64_t> add(const nats_session& session, const nats_settings& settings,
                            std::string_view pattern, std::function<void(delivery)> deliver);

  /// Ends a subscription. It does nothing when the connection was closed meanwhile.
  void end(std::uint64_t id);

  /// Makes all live subscriptions anew on another connection of the session.
  void renew(const nats_session& session, const nats_settings& settings);

  /// Makes the live subscriptions to this pattern anew; false if there are none.
  bool renew(const nats_session& session, const nats_settings& settings, std::string_view pattern);

  /// Called after the connection was closed, which ends the threads of all subscriptions. A
  /// subscription whose thread does not end in time is leaked rather than freed under a running
  /// thread.
  void clear();

 private:
  struct live_subscription;

  bool renew_if(const nats_session& session, const nats_settings& settings,
                const std::function<bool(std::string_view)>& wanted);
  result<void> make(const nats_session& session, const nats_settings& settings, std::uint64_t id,
                    std::string pattern, std::function<void(delivery)> deliver);
  static void on_message(natsConnection*, natsSubscription*, natsMsg* message, void* closure);
  static void give_up(live_subscription& which);
  void sweep();

  std::mutex mutex_;
  std::uint64_t last_id_ = 0;
  std::vector<std::unique_ptr<live_subscription>> all_;
};

}  // namespace argosy::bus
