// SPDX-License-Identifier: Apache-2.0
// The tracer_probe has the figures of the TRACER: what it gathers, keeps and is asked for.
#pragma once

#include "runtime/metrics/probe.hpp"

namespace argosy::probes {

struct tracer_probe final : metrics::probe {
  tracer_probe() : probe("tracer") {}

  metrics::counter drains{*this, "argosy_tracer_drains_total",
                          "Times that the TRACER gathered what threads had recorded."};
  metrics::gauge kept{*this, "argosy_tracer_spans_kept", "Steps of traces that are kept now."};
  metrics::gauge kept_bytes{*this, "argosy_tracer_span_bytes_kept",
                            "About how many bytes these take."};
  metrics::counter dropped{*this, "argosy_tracer_spans_dropped_total",
                           "Steps of traces that gave way to newer ones, or were too large."};
  metrics::counter received{*this, "argosy_tracer_spans_received_total",
                            "Steps of traces that came from other processes."};
  metrics::counter shipped{*this, "argosy_tracer_spans_shipped_total",
                           "Steps of traces that were sent to the control plane."};
  metrics::counter queries{*this, "argosy_tracer_queries_total", "Traces that somebody asked for."};
};

}  // namespace argosy::probes
