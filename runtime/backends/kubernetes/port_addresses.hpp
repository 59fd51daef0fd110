// SPDX-License-Identifier: Apache-2.0
// Finds where the ports of a run's pod are reached from outside, by its services and ingresses.
// Pure.
#pragma once

#include <cstdint>
#include <map>
#include <nlohmann/json.hpp>
#include <string>

#include "runtime/model/job.hpp"

namespace argosy::backends {

/// Holds addresses by port of the service: "host" of an ingress, or ":30080", which every node has
/// for the service and to which the address of the pod's node belongs.
using port_addresses = std::map<std::int32_t, std::string>;

/// Adds those of a service or an ingress as the API server shows it. An ingress has a name for
/// people, so that it goes before a service.
void add_addresses(const nlohmann::json& object, port_addresses& out);

/// Puts the node's own address in. Addresses that need it are left out where it is not known.
[[nodiscard]] model::pod_facts::address_list complete(const port_addresses& addresses,
                                                      const std::string& node_address);

}  // namespace argosy::backends
