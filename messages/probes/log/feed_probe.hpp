// SPDX-License-Identifier: Apache-2.0
// The feed_probe has the figures of all FEEDs together.
#pragma once

#include "runtime/metrics/probe.hpp"

namespace argosy::probes {

struct feed_probe final : metrics::probe {
  feed_probe() : probe("feed") {}

  metrics::gauge watchers{*this, "argosy_feed_watchers", "Open streams of events."};
  metrics::gauge unsent{*this, "argosy_feed_unsent",
                        "Messages that wait until a watcher takes more."};
  metrics::counter sent{*this, "argosy_feed_sent_total", "Messages that watchers were sent."};
};

}  // namespace argosy::probes
