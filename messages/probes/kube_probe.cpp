// SPDX-License-Identifier: Apache-2.0
#include "messages/probes/kube_probe.hpp"

#include <algorithm>
#include <utility>

namespace argosy::probes {

void kube_probe::heard(const followed& what, std::uint64_t number) {
  const std::lock_guard guard{mutex_};
  watches_[what][number] = clock_.boot();
}

void kube_probe::forget(const followed& what, std::uint64_t number) {
  const std::lock_guard guard{mutex_};
  const auto at = watches_.find(what);
  if (at != watches_.end() && at->second.erase(number) > 0 && at->second.empty())
    watches_.erase(at);
}

void kube_probe::collect(metrics::family_list& out) const {
  metrics::family ages{"argosy_kube_watch_age_seconds",
                       "Time since the API server said something last in this watch; it says at "
                       "least every minute that nothing has changed.",
                       metrics::family_kind::gauge,
                       {}};
  const std::lock_guard guard{mutex_};
  for (const auto& [what, numbers] : watches_) {
    boot_time longest{0};
    for (const auto& [number, last] : numbers) longest = std::max(longest, clock_.boot() - last);
    ages.samples.push_back({{{"collection", what.collection}, {"namespace", what.name_space}},
                            std::chrono::duration<double>(longest).count()});
  }
  out.push_back(std::move(ages));
}

}  // namespace argosy::probes
