// SPDX-License-Identifier: Apache-2.0
// This file declares how a program tells what the nats-server refuses it while it serves.
#pragma once

#include <string>
#include <vector>

#include "runtime/bus/connection.hpp"
#include "runtime/health/concern.hpp"
#include "runtime/metrics/probe.hpp"

namespace argosy {

/// Writes the metrics of the rights.
struct rights_probe final : metrics::probe {
  rights_probe() : probe("rights") {}

  metrics::gauge stale{*this, "argosy_nats_rights_stale",
                       "1 while the nats-server or its files give other rights than they should."};
};

/// Says what is refused to `who`, such as "this agent", in a clause that names the fix; empty if
/// nothing is. A question whether the server gives certain rights, which it refuses as long as it
/// gives others, does not count.
[[nodiscard]] std::string refusal_text(const std::vector<bus::refusal>& all,
                                       const std::string& who);

/// Gives the same text as a concern.
[[nodiscard]] health::concerns refusal_concerns(const std::vector<bus::refusal>& all,
                                                const std::string& who);

}  // namespace argosy
