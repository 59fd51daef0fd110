// SPDX-License-Identifier: Apache-2.0
// This file declares how the two ends of an agent's link, cluster_proxy and executor_proxy, ask
// each other.
#pragma once

#include <chrono>
#include <cstdint>
#include <string>
#include <utility>

#include "actors/caf_error.hpp"
#include "actors/interfaces/bus.hpp"
#include "messages/codec/agent/agent_subject.hpp"
#include "messages/probes/link_probe.hpp"

namespace argosy::actors {

/// Sends `data` to the far end and hands the frame that answers it to `then`, on self's thread. The
/// config names the bus, the cluster and the timeout. The BUS keeps the timeout; its own answer is
/// awaited for a second longer. The probe counts the request, and the actor has to keep it
/// alive.
template <class Self, class Config, class Then, class Fail>
void agent_request(const Self& self, const Config& config, probes::link_probe& probe,
                   const std::string& what, std::string data, Then then, Fail fail) {
  probe.sent();
  const auto timeout = static_cast<std::uint64_t>(config.timeout.count());
  self->request(config.bus, config.timeout + std::chrono::seconds{1}, atom::send_v,
                codec::make_agent_subject(config.cluster, what), std::move(data), timeout)
      .then(
          [&probe, then = std::move(then)](const native::frame_ptr& frame) mutable {
            probe.ended(ec::none);
            then(frame);
          },
          [&probe, fail = std::move(fail)](caf::error& err) mutable {
            probe.ended(from_caf(err).code);
            fail(err);
          });
}

}  // namespace argosy::actors
