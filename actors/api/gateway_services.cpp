// SPDX-License-Identifier: Apache-2.0
#include "actors/api/gateway_services.hpp"

namespace argosy::actors {

gateway_services::gateway_services(gateway_self self_, gateway_config config_)
    : self(self_),
      config(std::move(config_)),
      probe(config.probes->get<probes::gateway_probe>()),
      actors(config.root, config.request_timeout),
      random(config.seed),
      decoder(config.limits, codec::process_shapes(), ids),
      started_ns(to_nanos(config.clock->wall())) {}

}  // namespace argosy::actors
