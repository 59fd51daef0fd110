// SPDX-License-Identifier: Apache-2.0
#include "runtime/trace/span_store.hpp"

#include <algorithm>
#include <utility>

namespace argosy::trace {

namespace {

std::size_t bytes_of(const finished_span& span) {
  // A trace id and a running number in the index.
  constexpr std::size_t index_bytes = 64;
  auto out =
      sizeof(span) + index_bytes + span.name.size() + span.actor.size() + span.process.size();
  for (const auto& one : span.attributes) out += sizeof(one) + one.key.size() + one.value.size();
  return out;
}

}  // namespace

span_store::span_store(limits most) {
  set_limits(most);
}

void span_store::add(finished_span span) {
  const auto size = bytes_of(span);
  if (size > most_.bytes) {
    ++dropped_;
    return;
  }
  while (spans_.size() >= most_.spans || bytes_ + size > most_.bytes) drop_oldest();
  bytes_ += size;
  by_trace_[span.trace].push_back(added());
  if (span.link.valid()) caused_[span.link.trace].push_back(span.trace);
  spans_.push_back(std::move(span));
}

void span_store::drop_oldest() {
  const auto& oldest = spans_.front();
  if (oldest.link.valid()) {
    const auto caused = caused_.find(oldest.link.trace);
    auto& traces = caused->second;
    traces.erase(std::find(traces.begin(), traces.end(), oldest.trace));
    if (traces.empty()) caused_.erase(caused);
  }
  const auto entry = by_trace_.find(oldest.trace);
  entry->second.pop_front();
  if (entry->second.empty()) by_trace_.erase(entry);
  bytes_ -= bytes_of(spans_.front());
  spans_.pop_front();
  ++first_;
  ++dropped_;
}

std::vector<finished_span> span_store::of_trace(const trace_id& trace) const {
  std::vector<finished_span> found;
  std::vector<trace_id> traces{trace};
  for (std::size_t i = 0; i < traces.size(); ++i) {
    if (const auto entry = by_trace_.find(traces[i]); entry != by_trace_.end())
      for (const auto number : entry->second)
        found.push_back(spans_[static_cast<std::size_t>(number - first_)]);
    if (const auto caused = caused_.find(traces[i]); caused != caused_.end())
      for (const auto& next : caused->second)
        if (std::find(traces.begin(), traces.end(), next) == traces.end()) traces.push_back(next);
  }
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

void span_store::set_limits(limits most) {
  most_ = {std::max<std::size_t>(most.spans, 1), most.bytes};
  while (spans_.size() > most_.spans || bytes_ > most_.bytes) drop_oldest();
}

void span_store::clear() {
  first_ += spans_.size();
  spans_.clear();
  by_trace_.clear();
  caused_.clear();
  bytes_ = 0;
  dropped_ = 0;
}

}  // namespace argosy::trace
