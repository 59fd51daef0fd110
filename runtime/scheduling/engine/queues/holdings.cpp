// SPDX-License-Identifier: Apache-2.0
#include "runtime/scheduling/engine/queues/holdings.hpp"

#include <algorithm>
#include <utility>

namespace argosy::scheduling::engine {

void holdings::open(const books& sums, const tables& t, std::vector<std::uint32_t> rivals) {
  books_ = &sums;
  t_ = &t;
  dims_ = t.dims;
  order_ = std::move(rivals);
  shares_.resize(sums.queues.size());
  stale_.assign(sums.queues.size(), 0);
  place_.assign(sums.queues.size(), none);
  numbers_.assign(sums.queues.size(), none);
  for (std::uint32_t i = 0; i < order_.size(); ++i) numbers_[order_[i]] = i;
  for (std::uint32_t q = 0; q < sums.queues.size(); ++q) {
    const auto& used = sums.queues[q].used_before;
    amounts_.insert(amounts_.end(), used.begin(), used.end());
    shares_[q] = sums.cost(used.data()) / sums.queues[q].weight;
  }
  std::sort(order_.begin(), order_.end(),
            [&](std::uint32_t a, std::uint32_t b) { return shares_[a] > shares_[b]; });
  for (std::uint32_t i = 0; i < order_.size(); ++i) place_[order_[i]] = i;
}

void holdings::add(std::uint32_t queue, std::uint32_t shape, std::int64_t sign) {
  const auto* request = t_->amounts(shape);
  auto* sum = amounts_.data() + std::size_t{queue} * dims_;
  for (std::uint32_t d = 0; d < dims_; ++d) sum[d] += sign * request[d];
  if (place_[queue] != none && std::exchange(stale_[queue], 1) == 0) changed_.push_back(queue);
}

void holdings::count(std::uint32_t queue, std::uint32_t shape, std::int64_t sign) {
  if (queue == none) return;
  add(queue, shape, sign);
  journal_.push_back({queue, shape, sign});
}

void holdings::undo() {
  for (const auto& made : journal_) add(made.queue, made.shape, -made.sign);
  journal_.clear();
}

void holdings::settle() {
  for (const auto queue : changed_) {
    stale_[queue] = 0;
    const auto share = shares_[queue] = books_->cost(amounts(queue)) / books_->queues[queue].weight;
    auto at = place_[queue];
    const auto move = [&](std::uint32_t from) {
      order_[at] = order_[from];
      place_[order_[at]] = at;
      at = from;
    };
    while (at > 0 && shares_[order_[at - 1]] < share) move(at - 1);
    while (at + 1 < order_.size() && shares_[order_[at + 1]] > share) move(at + 1);
    order_[at] = queue;
    place_[queue] = at;
  }
  changed_.clear();
}

}  // namespace argosy::scheduling::engine
