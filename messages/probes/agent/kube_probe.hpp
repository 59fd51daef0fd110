// SPDX-License-Identifier: Apache-2.0
// This file defines the probe of an agent's link to the API server of its Kubernetes cluster, which
// counts what is asked there and knows how long each watch has told nothing for a fault.
#pragma once

#include <array>
#include <chrono>
#include <map>
#include <mutex>
#include <optional>
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
                                   "Time until the API server had answered, by verb.", "verb"};
  /// By verb and by what became of the request: "unreachable", "timeout", "cancelled", "refused"
  /// (status 4xx), "denied" (401, 403), "busy" (429), "failed" (5xx), or "other".
  metrics::counter_table errors{*this, "argosy_kube_errors_total",
                                "Requests to the API server that got no good answer.", "verb",
                                "why"};
  metrics::counter pods_made{*this, "argosy_kube_pods_made_total",
                             "Pods that the API server has taken from this agent."};

  /// The server tells of this collection, such as "pods", or not any more. Those of several
  /// namespaces have a number each.
  void follow(const std::string& collection, std::uint64_t number, bool is_told);
  void forget(const std::string& collection, std::uint64_t number);

 protected:
  void collect(metrics::family_list& out) const override;

 private:
  const clock_source& clock_;
  mutable std::mutex mutex_;
  /// When the server told last of what it does not tell of, by collection and number; guarded by
  /// mutex_.
  std::map<std::string, std::map<std::uint64_t, std::optional<boot_time>>> watches_;
};

}  // namespace argosy::probes
