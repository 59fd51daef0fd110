// SPDX-License-Identifier: Apache-2.0
#include "runtime/scheduling/engine/steps/node_ranking.hpp"

#include <algorithm>

namespace argosy::scheduling::engine {

void node_ranking::file(std::uint32_t node, std::uint32_t level, std::uint32_t queue,
                        const node_rank& rank, std::uint32_t victim) {
  auto& into = heaps_[std::size_t{level} * queues_ + queue];
  into.push_back({rank, node, versions_[node], victim});
  ++size_;
  if (!arranged_) return;
  std::push_heap(into.begin(), into.end(), later{});
}

const node_ranking::entry* node_ranking::top(heap& from) {
  while (!from.empty() && from.front().version != versions_[from.front().node]) {
    std::pop_heap(from.begin(), from.end(), later{});
    from.pop_back();
    --size_;
  }
  return from.empty() ? nullptr : &from.front();
}

void node_ranking::arrange() {
  arranged_ = true;
  for (auto& each : heaps_) std::make_heap(each.begin(), each.end(), later{});
}

node_ranking::found node_ranking::first(holdings& held) {
  if (!arranged_) arrange();
  const auto& queues = held.by_share();
  for (std::size_t level = 0; level < heaps_.size(); level += queues_) {
    const entry* best = nullptr;
    double share = 0;
    for (const auto queue : queues) {
      if (best != nullptr && held.share(queue) < share) break;
      const auto* next = top(heaps_[level + held.number_of(queue)]);
      if (next == nullptr || (best != nullptr && !(next->rank < best->rank))) continue;
      best = next;
      share = held.share(queue);
    }
    if (best != nullptr) return {best->node, best->victim};
  }
  return {};
}

}  // namespace argosy::scheduling::engine
