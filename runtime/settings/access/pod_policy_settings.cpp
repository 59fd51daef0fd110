// SPDX-License-Identifier: Apache-2.0
#include "runtime/settings/access/pod_policy_settings.hpp"

namespace argosy::settings {

namespace {

complaint check_policies(const std::vector<access::pod_policy>& items) {
  for (const auto& each : items)
    if (const auto fault = access::fault_of(each)) return "has an entry with " + *fault;
  for (std::size_t i = 0; i + 1 < items.size(); ++i)
    if (items[i].queues.empty())
      return "has an entry without queues before others, which would never count; move it to the "
             "end";
  return std::nullopt;
}

}  // namespace

void describe(field_table& table, access::pod_policy& item) {
  table.value("queues", item.queues, "");
  table.value("level", item.level, "");
  table.value("namespaces", item.namespaces, "");
  table.value("serviceAccounts", item.service_accounts, "");
  table.value("hostPaths", item.host_paths, "");
  table.value("hostNamespaces", item.host_namespaces, "");
  table.value("hostPorts", item.host_ports, "");
  table.value("devices", item.devices, "");
  table.value("csiDrivers", item.csi_drivers, "");
  table.value("services", item.services, "");
  table.value("annotations", item.annotations, "");
  table.value("runtimeClasses", item.runtime_classes, "");
  table.value("priorityClasses", item.priority_classes, "");
}

void describe_pod_policies(field_table& table, std::string path,
                           std::vector<access::pod_policy>& items, const std::string& who,
                           const std::string& silent) {
  table.value(
      std::move(path), items,
      who +
          " The first entry counts that names the job's queue or no queues: [{queues: [\"ann-*\"], "
          "level: restricted, namespaces: [ann], serviceAccounts: [], hostPaths: [], "
          "hostNamespaces: [], hostPorts: [], devices: [], csiDrivers: [], services: [], "
          "annotations: [], runtimeClasses: [], priorityClasses: []}]. The level is one of "
          "Kubernetes' Pod Security Standards: privileged, baseline (if "
          "an entry names none) or restricted. A list that is not empty says all that is allowed, "
          "whatever the level; a * stands for any characters. An empty list of host paths, host "
          "namespaces (network, pid, ipc) or host ports (8000-8100) allows what the level does; "
          "an empty one of service accounts allows `default`, and at the level privileged all; an "
          "empty one of annotations allows all but those by which other programs give a pod "
          "networks, roles, hosts or settings, and at the level privileged all; each other one "
          "allows all. Services are NodePort, Headless and Ingress. " +
          silent,
      rule<std::vector<access::pod_policy>>{check_policies});
}

}  // namespace argosy::settings
