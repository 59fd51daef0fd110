// SPDX-License-Identifier: Apache-2.0
// How a connection of a session ends, and how the next one takes its place.
#include <algorithm>
#include <chrono>

#include "runtime/bus/nats/session.hpp"

namespace argosy::bus {

namespace {

constexpr std::chrono::milliseconds renewal_pause_max{5'000};

}  // namespace

bool nats_session::is_over(natsConnection* which) const {
  return std::ranges::find(over_, which) != over_.end();
}

void nats_session::close() {
  if (connection_ == nullptr || closed_.exchange(true)) return;
  events()->close();
  {
    const std::lock_guard lock{mutex_};
    ended_.notify_all();
  }
  // From here on nobody begins it: on_closed() looks at closed_ under the lock.
  if (replacing_.joinable()) replacing_.join();
  natsConnection_Close(connection_);
  {
    // The library's own thread may still be in one of the callbacks, which use this object.
    std::unique_lock lock{mutex_};
    ended_.wait(lock, [this] { return is_over(connection_); });
  }
}

/// Replaces each connection that is over, until the session is closed.
void nats_session::replace() {
  while (true) {
    {
      std::unique_lock lock{mutex_};
      ended_.wait(lock, [this] { return closed_ || is_over(connection_); });
    }
    if (closed_) return;
    renew();
  }
}

/// Tries until there is a new connection or the session is closed. A wrong configuration of the
/// server may stand for long, and whoever mends it wants to see it mended.
void nats_session::renew() {
  auto pause = std::max(settings_.reconnect_wait, std::chrono::milliseconds{10});
  std::string told;
  while (!closed_) {
    const auto made = connect();
    if (made) {
      if (settings_.on_error) settings_.on_error("there is a connection to " + server_ + " again");
      events()->run([](const session_events& to) {
        if (to.on_renewed) to.on_renewed();
      });
      tell(link_status::connected);
      return;
    }
    if (settings_.on_error && made.error().detail != told)
      settings_.on_error(made.error().detail + "; trying on");
    told = made.error().detail;
    std::unique_lock lock{mutex_};
    ended_.wait_for(lock, pause, [this] { return closed_.load(); });
    pause = std::min(2 * pause, renewal_pause_max);
  }
}

/// Unless this is the end of the session, the library has given up.
void nats_session::on_closed(natsConnection* which, void* closure) {
  auto* const self = static_cast<nats_session*>(closure);
  const std::lock_guard lock{self->mutex_};
  self->over_.push_back(which);
  if (!self->closed_ && !self->replacing_.joinable())
    self->replacing_ = std::thread{[self] { self->replace(); }};
  self->ended_.notify_all();
}

}  // namespace argosy::bus
