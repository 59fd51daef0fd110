// SPDX-License-Identifier: Apache-2.0
// The audit_probe counts what AUDIT records of calls, and what it leaves out.
#pragma once

#include "runtime/metrics/probe.hpp"

namespace argosy::probes {

struct audit_probe final : metrics::probe {
  audit_probe() : probe("audit") {}

  metrics::counter calls{*this, "argosy_audit_calls_total",
                         "Calls that AUDIT was told of, recorded or left out."};
  metrics::gauge left_out{
      *this, "argosy_audit_left_out",
      "Calls that were only counted since the start, since there were too many."};
  metrics::gauge waiting{*this, "argosy_audit_waiting", "Records that are not in the log yet."};
};

}  // namespace argosy::probes
