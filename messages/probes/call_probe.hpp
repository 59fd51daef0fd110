// SPDX-License-Identifier: Apache-2.0
// This file defines the probes of the two gateways, that of the API and that of the agents. Both
// count calls by method and result.
#pragma once

#include <chrono>
#include <string_view>

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
};

}  // namespace argosy::probes
