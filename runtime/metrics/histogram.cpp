// SPDX-License-Identifier: Apache-2.0
#include "runtime/metrics/histogram.hpp"

#include <algorithm>
#include <utility>

namespace argosy::metrics {

void duration_counts::add(std::chrono::nanoseconds took) noexcept {
  const auto nanos = std::max<std::int64_t>(took.count(), 0);
  const auto at = std::find_if(bounds_ms.begin(), bounds_ms.end(),
                               [&](int bound) { return nanos <= bound * std::int64_t{1'000'000}; });
  counts_[static_cast<std::size_t>(at - bounds_ms.begin())].fetch_add(1, std::memory_order_relaxed);
  nanos_.fetch_add(nanos, std::memory_order_relaxed);
}

sample duration_counts::show(label_list labels) const {
  std::array<std::uint64_t, bounds_ms.size() + 1> counts{};
  for (std::size_t i = 0; i < counts.size(); ++i)
    counts[i] = counts_[i].load(std::memory_order_relaxed);
  return histogram_sample(std::move(labels), counts, bounds_ms, 1e3,
                          nanos_.load(std::memory_order_relaxed));
}

histogram::histogram(probe& owner, const char* name, const char* help, label_list labels)
    : metric(owner, family_kind::histogram, name, help), labels_(std::move(labels)) {}

void histogram::collect(std::vector<sample>& out) const {
  out.push_back(counts_.show(labels_));
}

histogram_table::histogram_table(probe& owner, const char* name, const char* help,
                                 const char* label)
    : metric(owner, family_kind::histogram, name, help), label_(label) {}

void histogram_table::add(std::string_view value, std::chrono::nanoseconds took) {
  const std::lock_guard lock{mutex_};
  auto found = counts_.find(value);
  if (found == counts_.end()) found = counts_.try_emplace(std::string{value}).first;
  found->second.add(took);
}

void histogram_table::collect(std::vector<sample>& out) const {
  const std::lock_guard lock{mutex_};
  for (const auto& [value, counts] : counts_) out.push_back(counts.show({{label_, value}}));
}

}  // namespace argosy::metrics
