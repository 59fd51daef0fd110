// SPDX-License-Identifier: Apache-2.0
#include "runtime/trace/span_store.hpp"

#include <algorithm>
#include <utility>

namespace argosy::trace {

span_store::span_store(std::size_t capacity) : capacity_(std::max<std::size_t>(capacity, 1)) {}

void span_store::add(finished_span span) {
  if (spans_.size() >= capacity_) drop_oldest();
  by_trace_[span.trace].push_back(added());
  spans_.push_back(std::move(span));
}

void span_store::drop_oldest() {
  const auto entry = by_trace_.find(spans_.front().trace);
  entry->second.pop_front();
  if (entry->second.empty()) by_trace_.erase(entry);
  spans_.pop_front();
  ++first_;
}

std::vector<finished_span> span_store::of_trace(const trace_id& trace) const {
  std::vector<finished_span> found;
  const auto entry = by_trace_.find(trace);
  if (entry == by_trace_.end()) return found;
  found.reserve(entry->second.size());
  for (const auto number : entry->second)
    found.push_back(spans_[static_cast<std::size_t>(number - first_)]);
  std::stable_sort(found.begin(), found.end(), [](const auto& a, const auto& b) {
    return a.start_nanos - a.wait_nanos < b.start_nanos - b.wait_nanos;
  });
  return found;
}

std::vector<finished_span> span_store::after(std::uint64_t& cursor, std::size_t limit) const {
  cursor = std::max(cursor, first_);
  const auto begin = static_cast<std::size_t>(std::min<std::uint64_t>(cursor - first_, size()));
  const auto count = std::min(limit, size() - begin);
  cursor = first_ + begin + count;
  const auto first = spans_.begin() + static_cast<std::ptrdiff_t>(begin);
  return {first, first + static_cast<std::ptrdiff_t>(count)};
}

void span_store::set_capacity(std::size_t capacity) {
  capacity_ = std::max<std::size_t>(capacity, 1);
  while (spans_.size() > capacity_) drop_oldest();
}

void span_store::clear() {
  first_ += spans_.size();
  spans_.clear();
  by_trace_.clear();
}

}  // namespace argosy::trace
