// SPDX-License-Identifier: Apache-2.0
#include "runtime/backends/kubernetes/port_addresses.hpp"

#include "runtime/backends/kubernetes/object.hpp"

namespace argosy::backends {

namespace {

using object::json;
constexpr std::int64_t port_last = 65535;

bool is_port(std::int64_t number) {
  return number > 0 && number <= port_last;
}

void add_service(const json& spec, port_addresses& out) {
  for (const auto& each : object::part(spec, "ports")) {
    const auto port = object::number(each, "port");
    const auto of_node = object::number(each, "nodePort");
    if (is_port(port) && is_port(of_node))
      out.try_emplace(static_cast<std::int32_t>(port), ":" + std::to_string(of_node));
  }
}

void add_ingress(const json& spec, port_addresses& out) {
  for (const auto& rule : object::part(spec, "rules"))
    for (const auto& path : object::part(rule, "http", "paths")) {
      const auto& service = object::part(path, "backend", "service");
      const auto port = object::number(object::part(service, "port"), "number");
      const auto host = object::text(rule, "host");
      if (is_port(port) && !host.empty()) out[static_cast<std::int32_t>(port)] = host;
    }
}

}  // namespace

void add_addresses(const json& object, port_addresses& out) {
  const auto& spec = object::part(object, "spec");
  if (object::part(spec, "rules").is_array())
    add_ingress(spec, out);
  else
    add_service(spec, out);
}

model::pod_facts::address_list complete(const port_addresses& addresses,
                                        const std::string& node_address) {
  model::pod_facts::address_list out;
  // The address of a node may be one of IPv6, whose colons brackets keep apart from the port's.
  const bool is_v6 = node_address.find(':') != std::string::npos;
  const auto node = is_v6 ? "[" + node_address + "]" : node_address;
  for (const auto& [port, address] : addresses) {
    const bool needs_node = address.starts_with(':');
    if (needs_node && node.empty()) continue;
    out.emplace_back(port, needs_node ? node + address : address);
  }
  return out;
}

}  // namespace argosy::backends
