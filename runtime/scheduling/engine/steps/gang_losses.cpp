// SPDX-License-Identifier: Apache-2.0
#include "runtime/scheduling/engine/steps/gang_losses.hpp"

#include <algorithm>
#include <utility>

namespace argosy::scheduling::engine {

namespace {

/// Costs are sums of doubles, so that what is equal on paper may differ by this part of the pool.
constexpr double rounding = 1e-9;

}  // namespace

void gang_losses::add(std::uint32_t gang, std::uint32_t level, const std::int64_t* amounts,
                      std::uint32_t dims) {
  auto& loss = gangs_[gang];
  if (loss.jobs++ == 0) {
    loss.lowest = loss.highest = level;
    loss.amounts.assign(dims, 0);
  }
  loss.lowest = std::min(loss.lowest, level);
  loss.highest = std::max(loss.highest, level);
  for (std::uint32_t d = 0; d < dims; ++d) loss.amounts[d] += amounts[d];
}

void gang_losses::close(absl::FunctionRef<double(const std::int64_t*)> cost) {
  absl::erase_if(gangs_, [](const auto& entry) { return entry.second.jobs < 2; });
  std::vector<std::pair<double, gang_loss*>> by_cost;
  for (auto& [gang, loss] : gangs_) by_cost.emplace_back(cost(loss.amounts.data()), &loss);
  std::sort(by_cost.begin(), by_cost.end(),
            [](const auto& a, const auto& b) { return a.first < b.first; });
  for (const auto& [own, loss] : by_cost) {
    if (costs_.empty() || costs_.back() < own) costs_.push_back(own);
    loss->rank = static_cast<std::uint32_t>(costs_.size() - 1);
  }
}

const gang_loss* gang_losses::of(std::uint32_t gang) const {
  if (gang == none) return nullptr;
  const auto found = gangs_.find(gang);
  return found == gangs_.end() ? nullptr : &found->second;
}

void gang_losses::allow(double most) {
  const auto end = std::upper_bound(costs_.begin(), costs_.end(), most + rounding);
  allowed_ = static_cast<std::uint32_t>(end - costs_.begin());
}

}  // namespace argosy::scheduling::engine
