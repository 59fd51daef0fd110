// SPDX-License-Identifier: Apache-2.0
#include "runtime/health/front/stalled_clients.hpp"

#include <sys/socket.h>

namespace argosy::health {

void stalled_clients::add(int socket, const border::address_block& block) {
  const std::scoped_lock lock{guard_};
  places_.add(socket, block);
  if (places_.size() <= most_) return;
  const auto gone = places_.first_to_go();
  places_.remove(*gone);
  // Its thread wakes up, and closes it.
  ::shutdown(static_cast<int>(*gone), SHUT_RDWR);
}

void stalled_clients::remove(int socket) {
  const std::scoped_lock lock{guard_};
  places_.remove(socket);
}

}  // namespace argosy::health
