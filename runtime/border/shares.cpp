// SPDX-License-Identifier: Apache-2.0
#include "runtime/border/shares.hpp"

namespace argosy::border {

shares::outcome shares::take(const std::string& caller, std::uint64_t bytes) {
  const std::lock_guard lock{mutex_};
  const auto answer = core_.take(caller, bytes);
  if (answer != share_core::answer::taken) return {nullptr, answer};
  return {place{this,
                [self = shared_from_this(), caller, bytes](const void*) {
                  const std::lock_guard held{self->mutex_};
                  self->core_.give_back(caller, bytes);
                }},
          answer};
}

std::uint64_t shares::places() const {
  const std::lock_guard lock{mutex_};
  return core_.places();
}

std::uint64_t shares::places_of(const std::string& caller) const {
  const std::lock_guard lock{mutex_};
  return core_.places_of(caller);
}

}  // namespace argosy::border
