// SPDX-License-Identifier: Apache-2.0
#include "runtime/scheduling/engine/queues/turns.hpp"

#include <algorithm>
#include <utility>

namespace argosy::scheduling::engine {

void turns::assign(std::vector<turn_rank> ranks) {
  std::fill(places_.begin(), places_.end(), none);
  heap_ = std::move(ranks);
  for (std::size_t place = 0; place < heap_.size(); ++place)
    places_[heap_[place].queue] = static_cast<std::uint32_t>(place);
  for (auto place = heap_.size() / 2; place-- > 0;) {
    const auto rank = heap_[place];
    sink(place, rank);
  }
}

void turns::put(const turn_rank& rank) {
  const auto place = places_[rank.queue];
  if (place != none) return settle(place, rank);
  heap_.push_back(rank);
  rise(heap_.size() - 1, rank);
}

void turns::remove(std::uint32_t queue) {
  const auto place = places_[queue];
  if (place == none) return;
  places_[queue] = none;
  const auto last = heap_.back();
  heap_.pop_back();
  if (last.queue != queue) settle(place, last);
}

void turns::settle(std::size_t place, const turn_rank& rank) {
  if (place > 0 && rank < heap_[(place - 1) / 2]) return rise(place, rank);
  sink(place, rank);
}

void turns::sink(std::size_t place, const turn_rank& rank) {
  const auto size = heap_.size();
  while (true) {
    auto child = 2 * place + 1;
    if (child >= size) break;
    if (child + 1 < size && heap_[child + 1] < heap_[child]) ++child;
    if (!(heap_[child] < rank)) break;
    set(place, heap_[child]);
    place = child;
  }
  set(place, rank);
}

void turns::rise(std::size_t place, const turn_rank& rank) {
  for (; place > 0 && rank < heap_[(place - 1) / 2]; place = (place - 1) / 2)
    set(place, heap_[(place - 1) / 2]);
  set(place, rank);
}

}  // namespace argosy::scheduling::engine
