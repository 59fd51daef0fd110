// SPDX-License-Identifier: Apache-2.0
// The retention_probe counts how often RETENTION looks for what has expired, and what came of it.
#pragma once

#include "runtime/metrics/probe.hpp"

namespace argosy::probes {

struct retention_probe final : metrics::probe {
  retention_probe() : probe("retention") {}

  metrics::counter looks{*this, "argosy_retention_looks_total",
                         "Times that RETENTION looked for what is kept for too long."};
  metrics::counter expiries{*this, "argosy_retention_expiries_total",
                            "Parts that expired, of at most 5,000 records each."};
  metrics::counter failures{*this, "argosy_retention_failures_total",
                            "Times that nothing expired since the store or the log failed."};
  metrics::gauge expired_at{*this, "argosy_retention_expired_time_seconds",
                            "Unix time of the last expiry; 0: none yet."};
};

}  // namespace argosy::probes
