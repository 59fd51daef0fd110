// SPDX-License-Identifier: Apache-2.0
// This file defines the probes of LEADER and ROOT, which tell whether this process leads and what
// it has in its hands.
#pragma once

#include "runtime/metrics/probe.hpp"

namespace argosy::probes {

struct leader_probe final : metrics::probe {
  leader_probe() : probe("leader") {}

  metrics::gauge epoch{*this, "argosy_leader_epoch",
                       "The epoch that this process holds; 0 while it does not lead."};
  metrics::counter verifications{*this, "argosy_leader_verifications_total",
                                 "Times that the leader looked whether it still leads."};
};

struct root_probe final : metrics::probe {
  root_probe() : probe("root") {}

  metrics::gauge queues{*this, "argosy_root_queues",
                        "QUEUEs, also those of deleted queues whose client ids are still known."};
  metrics::gauge clusters{*this, "argosy_root_clusters",
                          "CLUSTERs, also those of clusters that have left."};
  metrics::gauge children{*this, "argosy_root_children", "Actors that ROOT watches over."};
  metrics::gauge stopping{*this, "argosy_root_stopping", "1 while the process is being stopped."};
};

}  // namespace argosy::probes
