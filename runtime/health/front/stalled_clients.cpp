// SPDX-License-Identifier: Apache-2.0
#include "runtime/health/front/stalled_clients.hpp"

#include <sys/socket.h>

namespace argosy::health {

void stalled_clients::add(int socket, const border::address_block& block, std::size_t bytes) {
  const std::scoped_lock lock{guard_};
  places_.add(socket, block);
  held_.emplace(socket, bytes);
  bytes_ += bytes;
  while (places_.size() > most_ || (bytes_ > bytes_max_ && places_.size() > 1)) {
    const auto gone = static_cast<int>(*places_.first_to_go());
    take_out(gone);
    // Its thread wakes up, and closes it.
    ::shutdown(gone, SHUT_RDWR);
  }
}

void stalled_clients::remove(int socket) {
  const std::scoped_lock lock{guard_};
  take_out(socket);
}

void stalled_clients::take_out(int socket) {
  const auto found = held_.find(socket);
  if (found == held_.end()) return;
  bytes_ -= found->second;
  held_.erase(found);
  places_.remove(socket);
}

}  // namespace argosy::health
