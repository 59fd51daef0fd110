// SPDX-License-Identifier: Apache-2.0
#include "runtime/ledger/gang_core.hpp"

#include <algorithm>

namespace argosy::ledger {

model::gang_info gang_sizes(const model::gang_info& declared, std::size_t live, bool ran) {
  auto sizes = declared;
  if (ran) sizes.cardinality = static_cast<std::uint32_t>(live);
  sizes.minimum_cardinality =
      std::clamp<std::uint32_t>(declared.minimum_cardinality, 1, std::max(sizes.cardinality, 1U));
  return sizes;
}

bool gang_may_start(const model::gang_info& sizes, std::size_t waiting,
                    std::size_t placed) noexcept {
  return waiting == sizes.cardinality && placed >= sizes.minimum_cardinality && placed <= waiting;
}

gang_signal gang_core::member(const ulid& job) {
  if (!members_.emplace(job, false).second) return gang_signal::none;
  return signal();
}

gang_signal gang_core::started(const ulid& job) {
  const auto found = members_.find(job);
  if (found == members_.end() || found->second) return gang_signal::none;
  found->second = true;
  ++placed_;
  ran_ = true;
  return gang_signal::none;
}

gang_signal gang_core::requeued(const ulid& job) {
  const auto found = members_.find(job);
  if (found == members_.end() || !found->second) return gang_signal::none;
  found->second = false;
  --placed_;
  return signal();
}

gang_signal gang_core::ended(const ulid& job) {
  const auto found = members_.find(job);
  if (found == members_.end()) return gang_signal::none;
  if (found->second) --placed_;
  members_.erase(found);
  return signal();
}

void gang_core::restore(const ulid& job, bool placed, bool ran) {
  if (!members_.emplace(job, placed).second) return;
  if (placed) ++placed_;
  ran_ = ran_ || placed || ran;
}

gang_signal gang_core::signal() const {
  if (members_.empty()) return gang_signal::done;
  return complete() && placed_ == 0 ? gang_signal::ready : gang_signal::none;
}

bool gang_core::complete() const noexcept {
  return ran_ || members_.size() >= info_.cardinality;
}

std::size_t gang_core::missing() const noexcept {
  return complete() ? 0 : info_.cardinality - members_.size();
}

}  // namespace argosy::ledger
