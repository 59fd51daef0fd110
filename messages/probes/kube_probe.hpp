// SPDX-License-Identifier: Apache-2.0
// This file defines the probe of an agent's link to the API server of its Kubernetes cluster, which
// counts what is asked there and knows since when each watch has said nothing.
#pragma once

#include <array>
#include <chrono>
#include <compare>
#include <cstdint>
#include <map>
#include <mutex>
#include <string>
#include <string_view>

#include "runtime/base/clock.hpp"
#include "runtime/metrics/histogram.hpp"

namespace argosy::probes {

class kube_probe final : public metrics::probe {
 public:
  /// The clock must outlive the probe.
  explicit kube_probe(const clock_source& clock) : probe("kube"), clock_(clock) {}

  metrics::histogram_table answers{*this, "argosy_kube_answer_seconds",
                                   "Time until the API server had answered, by verb of "
                                   "Kubernetes: of a watch and a log, until it began to.",
                                   "verb"};
  /// By verb and by what became of the request: "unreachable", "timeout", "cancelled", "refused"
  /// (status 4xx), "denied" (401, 403), "busy" (429), "failed" (5xx), or "other".
  metrics::counter_table errors{*this, "argosy_kube_errors_total",
                                "Requests to the API server that got no good answer.", "verb",
                                "why"};
  metrics::counter pods_made{*this, "argosy_kube_pods_made_total",
                             "Pods that the API server has taken from this agent."};

  /// A watch follows one collection, such as "pods", of the namespace "jobs" or, if that is empty,
  /// of all namespaces.
  struct followed {
    std::string collection;
    std::string name_space;
    auto operator<=>(const followed&) const = default;
  };
  /// The watch with this number begins, or the server has said something there.
  void heard(const followed& what, std::uint64_t number);
  void forget(const followed& what, std::uint64_t number);

 protected:
  void collect(metrics::family_list& out) const override;

 private:
  const clock_source& clock_;
  mutable std::mutex mutex_;
  /// When each was heard last; guarded by mutex_.
  std::map<followed, std::map<std::uint64_t, boot_time>> watches_;
};

}  // namespace argosy::probes
