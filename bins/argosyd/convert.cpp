// SPDX-License-Identifier: Apache-2.0
#include "bins/argosyd/convert.hpp"

#include "runtime/scheduling/rows.hpp"

namespace argosy::argosyd {

namespace {

std::vector<model::toleration> to_model(const std::vector<settings::toleration_settings>& from) {
  std::vector<model::toleration> out;
  for (const auto& one : from) out.push_back(settings::to_model(one));
  return out;
}

codec::limit_names limits_of_queues(const settings::scheduling_settings& from) {
  codec::limit_names out;
  for (const auto& resource : from.resources) out.resources.push_back(resource.name);
  for (const auto& resource : from.floating) out.resources.push_back(resource.name);
  if (from.keys.pod_limits) out.resources.emplace_back(scheduling::pod_resource);
  for (const auto& entry : from.classes) out.priority_classes.push_back(entry.name);
  return out;
}

}  // namespace

view::state_rules ledger_rules(const settings::argosyd_settings& from) {
  view::state_rules out{from.queues, from.clusters};
  // Armada fails what was ended from outside.
  if (from.scheduling.keys.base == scheduling::preset::current) {
    out.queue_rules.disruptions_max = 0;
    out.queue_rules.requeue_preempted = false;
  }
  out.queue_rules.client_id_retention_ns = from.retention.client_ids.count();
  // Jobs that have ended name the cluster on which they ran.
  out.cluster_rules.left_kept = from.retention.jobs;
  // A deposed leader finds this out with its second look at the log, see actors/leader.cpp.
  out.cluster_rules.predecessor_max = 2 * from.leader.heartbeat;
  return out;
}

codec::submit_limits submit_limits(const settings::argosyd_settings& from) {
  const auto& api = from.api;
  codec::submit_limits out;
  out.rules = api.rules;
  out.resources.clear();
  for (const auto& resource : from.scheduling.resources)
    out.resources[resource.name] = model::unit_of(resource.name);
  for (const auto& resource : from.scheduling.floating)
    out.resources[resource.name] = model::unit_of(resource.name);
  out.priority_classes = api.priority_classes;
  if (out.priority_classes.empty())
    for (const auto& entry : from.scheduling.classes) out.priority_classes.push_back(entry.name);
  out.priority_class = from.scheduling.keys.default_class;
  out.tolerations = to_model(api.default_tolerations);
  for (const auto& one : api.tolerations_by_class)
    out.tolerations_by_class[one.name] = to_model(one.tolerations);
  for (const auto& one : api.tolerations_by_resource)
    out.tolerations_by_resource[one.name] = to_model(one.tolerations);
  out.pod_policies = api.pod_policies;
  // Armada looks at none of it.
  if (from.scheduling.keys.base == scheduling::preset::current) {
    access::pod_policy open;
    open.level = access::pod_level::privileged;
    out.pod_policies.push_back(open);
    out.limits_of_queues.reset();
  } else {
    out.limits_of_queues = limits_of_queues(from.scheduling);
  }
  out.gang_uniformity_label = from.scheduling.keys.default_uniformity_label;
  return out;
}

}  // namespace argosy::argosyd
