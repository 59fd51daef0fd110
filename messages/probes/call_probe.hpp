// SPDX-License-Identifier: Apache-2.0
// This file defines the probes of the two gateways, that of the API and that of the agents. Both
// count calls by method and result.
#pragma once

#include <chrono>
#include <map>
#include <mutex>
#include <string>
#include <string_view>
#include <utility>

#include "runtime/base/clock.hpp"
#include "runtime/base/error.hpp"
#include "runtime/metrics/histogram.hpp"
#include "runtime/metrics/probe.hpp"

namespace argosy::probes {

/// The figures of one gateway. A method that it does not have counts as "unknown".
struct call_probe : metrics::probe {
  call_probe(const char* part, const char* calls_name, const char* open_name,
             const char* seconds_name)
      : probe(part),
        calls{*this, calls_name,
              "Calls by method and result: ok, stream, or the code of the error.", "method",
              "result"},
        open{*this, open_name, "Calls that are not answered yet."},
        seconds{*this, seconds_name,
                "Time from the arrival of a call to its answer or the begin of its stream.",
                "method"} {}

  void begun() noexcept { open.add(1); }
  void ended(std::string_view method, std::string_view result, std::chrono::nanoseconds took) {
    open.add(-1);
    calls.add(method, result);
    seconds.add(method, took);
  }

  metrics::counter_table calls;
  metrics::gauge open;
  metrics::histogram_table seconds;
};

struct gateway_probe final : call_probe {
  gateway_probe()
      : call_probe("gateway", "argosy_gateway_calls_total", "argosy_gateway_calls_open",
                   "argosy_gateway_call_seconds") {}

  metrics::gauge watches{*this, "argosy_gateway_watches", "Open streams of events."};
};

struct agent_gateway_probe final : call_probe {
  agent_gateway_probe()
      : call_probe("agent_gateway", "argosy_agent_gateway_calls_total",
                   "argosy_agent_gateway_calls_open", "argosy_agent_gateway_call_seconds") {}

  metrics::gauge agents{*this, "argosy_agent_gateway_agents",
                        "Clusters whose agents have said hello and that were not let go of since."};

  /// A hello of this cluster is larger than any may be.
  void refuse(const std::string& cluster, std::string why, boot_time now) {
    const std::lock_guard lock{mutex_};
    refused_[cluster] = {std::move(why), now};
  }
  /// Why hellos were refused of late, by cluster.
  [[nodiscard]] std::map<std::string, std::string> refused(boot_time now) {
    static constexpr std::chrono::minutes told_for{3};
    const std::lock_guard lock{mutex_};
    std::erase_if(refused_, [now](const auto& one) { return now - one.second.second >= told_for; });
    std::map<std::string, std::string> out;
    for (const auto& [cluster, why] : refused_) out.emplace(cluster, why.first);
    return out;
  }

 private:
  std::mutex mutex_;
  std::map<std::string, std::pair<std::string, boot_time>> refused_;  ///< Guarded by mutex_.
};

}  // namespace argosy::probes
