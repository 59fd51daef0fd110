// SPDX-License-Identifier: Apache-2.0
// The link_probe has the figures of the proxies between the control plane and remote agents: of all
// executor_proxies in argosyd, and of the cluster_proxy in an agent.
#pragma once

#include "runtime/base/error.hpp"
#include "runtime/metrics/probe.hpp"

namespace argosy::probes {

struct link_probe final : metrics::probe {
  link_probe() : probe("link") {}

  static constexpr const char* requests_name = "argosy_link_requests_total";
  static constexpr const char* requests_help =
      "Requests to the other end of the links with agents, by how they ended.";

  void sent() noexcept { open.add(1); }
  /// `code` is ec::none when there was an answer.
  void ended(ec code) noexcept {
    open.add(-1);
    ++(code == ec::none ? answered : code == ec::timeout ? timed_out : failed);
  }

  metrics::counter answered{*this, requests_name, requests_help, {{"result", "answered"}}};
  metrics::counter timed_out{*this, requests_name, requests_help, {{"result", "timeout"}}};
  metrics::counter failed{*this, requests_name, requests_help, {{"result", "failed"}}};
  metrics::gauge open{*this, "argosy_link_requests_open", "Requests that are not answered yet."};
  metrics::counter received{*this, "argosy_link_received_total",
                            "Requests of the other end, which only an agent counts."};
  metrics::counter unsigned_orders{
      *this, "argosy_link_unsigned_orders_total",
      "Orders and answers that an agent refused, since no key that it knows has signed "
      "them."};
};

}  // namespace argosy::probes
