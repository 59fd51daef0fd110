// SPDX-License-Identifier: Apache-2.0
#include "messages/probes/agent/kube_probe.hpp"

#include <algorithm>
#include <utility>

namespace argosy::probes {

void kube_probe::follow(const std::string& collection, std::uint64_t number, bool is_told) {
  const std::lock_guard guard{mutex_};
  auto& since = watches_[collection][number];
  if (is_told)
    since.reset();
  else if (!since)
    since = clock_.boot();
}

void kube_probe::forget(const std::string& collection, std::uint64_t number) {
  const std::lock_guard guard{mutex_};
  watches_[collection].erase(number);
}

void kube_probe::collect(metrics::family_list& out) const {
  metrics::family ages{
      "argosy_kube_watch_age_seconds",
      "Time since the API server has told of a collection, the longest of its namespaces; 0 while "
      "it does.",
      metrics::family_kind::gauge,
      {}};
  const std::lock_guard guard{mutex_};
  for (const auto& [collection, numbers] : watches_) {
    boot_time longest{0};
    for (const auto& [number, since] : numbers)
      if (since) longest = std::max(longest, clock_.boot() - *since);
    ages.samples.push_back(
        {{{"collection", collection}}, std::chrono::duration<double>(longest).count()});
  }
  out.push_back(std::move(ages));
}

}  // namespace argosy::probes
