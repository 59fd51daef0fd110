// SPDX-License-Identifier: Apache-2.0
// The bus_probe has the figures of the BUS: requests that come, requests that this process makes,
// and the connection below.
#pragma once

#include <memory>

#include "runtime/bus/connection.hpp"
#include "runtime/metrics/probe.hpp"

namespace argosy::probes {

struct bus_probe final : metrics::probe {
  explicit bus_probe(std::weak_ptr<const bus::connection> to)
      : probe("bus"), connection(std::move(to)) {}

  static constexpr const char* requests_name = "argosy_bus_requests_total";
  static constexpr const char* requests_help =
      "Requests that came over the bus: taken, or refused since too much is unanswered.";
  static constexpr const char* asked_name = "argosy_bus_asked_total";
  static constexpr const char* asked_help = "Requests of this process, by how they ended.";

  metrics::counter taken{*this, requests_name, requests_help, {{"result", "taken"}}};
  metrics::counter refused{*this, requests_name, requests_help, {{"result", "refused"}}};
  metrics::gauge unanswered{*this, "argosy_bus_unanswered",
                            "Requests that were taken and are not done yet."};
  metrics::gauge unanswered_bytes{*this, "argosy_bus_unanswered_bytes",
                                  "The bytes of these requests."};
  metrics::counter answers_lost{*this, "argosy_bus_answers_lost_total",
                                "Answers that could not be sent."};
  metrics::counter answered{*this, asked_name, asked_help, {{"result", "answered"}}};
  metrics::counter timed_out{*this, asked_name, asked_help, {{"result", "timeout"}}};
  metrics::counter failed{*this, asked_name, asked_help, {{"result", "failed"}}};
  metrics::counter disconnects{*this, "argosy_bus_disconnects_total",
                               "Times that the connection to the NATS server was lost."};

  /// The probe does not keep the connection open.
  std::weak_ptr<const bus::connection> connection;

 protected:
  void collect(metrics::family_list& out) const override;
};

}  // namespace argosy::probes
