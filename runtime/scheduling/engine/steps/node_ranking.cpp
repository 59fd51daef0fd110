// SPDX-License-Identifier: Apache-2.0
#include "runtime/scheduling/engine/steps/node_ranking.hpp"

#include <algorithm>

namespace argosy::scheduling::engine {

void node_ranking::file(std::uint32_t node, std::uint32_t level, std::uint32_t queue,
                        const node_rank& rank, std::uint32_t victim) {
  auto& into = files_[std::size_t{level} * queues_ + queue];
  if (into.was_cut && !(rank < into.rest)) return;
  into.heap.push_back({rank, node, versions_[node], victim});
  ++size_;
  if (arranged_)
    std::push_heap(into.heap.begin(), into.heap.end(), later{});
  else if (into.heap.size() >= 2 * kept_)
    cut(into);
}

void node_ranking::cut(one_file& from) {
  const auto first_dropped = from.heap.begin() + static_cast<std::ptrdiff_t>(kept_);
  std::nth_element(from.heap.begin(), first_dropped, from.heap.end(),
                   [](const entry& a, const entry& b) { return a.rank < b.rank; });
  from.was_cut = true;
  from.rest = first_dropped->rank;
  size_ -= from.heap.size() - kept_;
  from.heap.erase(first_dropped, from.heap.end());
}

const node_ranking::entry* node_ranking::top(one_file& from) {
  auto& heap = from.heap;
  while (!heap.empty() && heap.front().version != versions_[heap.front().node]) {
    std::pop_heap(heap.begin(), heap.end(), later{});
    heap.pop_back();
    --size_;
  }
  return heap.empty() ? nullptr : &heap.front();
}

void node_ranking::arrange() {
  arranged_ = true;
  for (auto& each : files_) {
    if (each.heap.size() > kept_) cut(each);
    std::make_heap(each.heap.begin(), each.heap.end(), later{});
  }
}

node_ranking::found node_ranking::first(holdings& held) {
  if (!arranged_) arrange();
  const auto& queues = held.by_share();
  for (std::size_t level = 0; level < files_.size(); level += queues_) {
    const entry* best = nullptr;
    double share = 0;
    for (const auto queue : queues) {
      if (best != nullptr && held.share(queue) < share) break;
      auto& from = files_[level + held.number_of(queue)];
      const auto* next = top(from);
      if (next == nullptr && from.was_cut && (best == nullptr || from.rest < best->rank))
        return {.incomplete = true};
      if (next == nullptr || (best != nullptr && !(next->rank < best->rank))) continue;
      best = next;
      share = held.share(queue);
    }
    if (best != nullptr) return {best->node, best->victim};
  }
  return {};
}

}  // namespace argosy::scheduling::engine
