// SPDX-License-Identifier: Apache-2.0
#include "runtime/scheduling/engine/queues/misfits.hpp"

namespace argosy::scheduling::engine {

namespace {

std::uint64_t key_of(std::uint32_t queue, std::uint32_t shape) {
  return (std::uint64_t{queue} << 32) | shape;
}

}  // namespace

void misfits::note_for(std::uint32_t queue, std::uint32_t shape) {
  if (known_[shape] == of::everybody) return;
  known_[shape] = of::some;
  of_queues_.insert(key_of(queue, shape));
}

bool misfits::is_of(std::uint32_t queue, std::uint32_t shape) const {
  return of_queues_.contains(key_of(queue, shape));
}

}  // namespace argosy::scheduling::engine
