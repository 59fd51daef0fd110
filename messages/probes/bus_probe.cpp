// SPDX-License-Identifier: Apache-2.0
#include "messages/probes/bus_probe.hpp"

#include "messages/probes/kept_elsewhere.hpp"

namespace argosy::probes {

void bus_probe::collect(metrics::family_list& out) const {
  const auto open = connection.lock();
  add_gauge(out, "argosy_bus_connected", "1 while there is a connection to the NATS server.",
            open && open->status() == bus::link_status::connected ? 1 : 0);
}

}  // namespace argosy::probes
