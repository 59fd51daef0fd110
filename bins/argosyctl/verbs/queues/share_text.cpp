// SPDX-License-Identifier: Apache-2.0
#include "bins/argosyctl/verbs/queues/share_text.hpp"

#include <fmt/format.h>

#include "bins/argosyctl/output/human.hpp"

namespace argosy::ctl {

namespace {

double weight_of(double factor) {
  return factor > 0 ? 1 / factor : 1;
}

/// Shares that differ by less look the same in percent with one decimal.
constexpr double same = 0.0005;

std::string_view meaning_of(const argosy::v1::PoolShare& share) {
  const auto fair = share.fair_share();
  if (share.actual_share() > fair + same)
    return "has more than its share: its jobs that may be preempted are the first to make room for "
           "those of other queues";
  if (share.demand_share() <= share.actual_share() + same) return "has all that it wants";
  if (share.actual_share() < fair - same)
    return "wants more: its jobs go before those of queues that have more of their share";
  return "has its share and wants more: it gets more of what others leave";
}

}  // namespace

std::map<std::string, pool_weights> weights_by_pool(const argosy::v1::ListQueuesResponse& queues) {
  std::map<std::string, pool_weights> out;
  for (const auto& queue : queues.queues())
    for (const auto& share : queue.shares()) {
      auto& of = out[share.pool()];
      of.sum += weight_of(queue.queue().priority_factor());
      ++of.queues;
    }
  return out;
}

std::string share_sentence(const argosy::v1::PoolShare& share, double factor,
                           const pool_weights& all) {
  return fmt::format(
      "pool {}: its weight {:.4g} of {:.4g} among {} queue{} gives it a fair share of {}; it uses "
      "{}, asks for {} and {}",
      share.pool(), weight_of(factor), all.sum, all.queues, all.queues == 1 ? "" : "s",
      human_share(share.fair_share()), human_share(share.actual_share()),
      human_share(share.demand_share()), meaning_of(share));
}

}  // namespace argosy::ctl
