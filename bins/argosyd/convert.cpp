// SPDX-License-Identifier: Apache-2.0
#include "bins/argosyd/convert.hpp"

namespace argosy::argosyd {

namespace {

std::int64_t whole_seconds(std::chrono::milliseconds value) {
  return std::chrono::duration_cast<std::chrono::seconds>(value).count();
}

model::toleration to_model(const settings::toleration_settings& from) {
  return {from.key, from.op == settings::toleration_operator::exists, from.value, from.effect};
}

std::vector<model::toleration> to_model(const std::vector<settings::toleration_settings>& from) {
  std::vector<model::toleration> out;
  for (const auto& one : from) out.push_back(to_model(one));
  return out;
}

}  // namespace

view::state_rules ledger_rules(const settings::argosyd_settings& from) {
  view::state_rules out{from.queues, from.clusters};
  out.queue_rules.client_id_retention_ns = from.retention.client_ids.count();
  // A deposed leader finds this out with its second look at the log, see actors/leader.cpp.
  out.cluster_rules.predecessor_max = 2 * from.leader.heartbeat;
  return out;
}

codec::submit_limits submit_limits(const settings::argosyd_settings& from) {
  const auto& api = from.api;
  codec::submit_limits out;
  out.items_max = api.jobs_per_request_max;
  out.pod_spec_size_max = api.pod_spec_bytes_max;
  out.job_set_size_max = api.job_set_bytes_max;
  out.client_id_size_max = api.client_id_bytes_max;
  out.metadata_size_max = api.metadata_bytes_max.bytes;
  out.resources.clear();
  for (const auto& resource : from.scheduling.resources)
    out.resources[resource.name] = model::unit_of(resource.name);
  for (const auto& resource : from.scheduling.floating)
    out.resources[resource.name] = model::unit_of(resource.name);
  out.requests_min = api.requests_min;
  out.oversubscription_max = {api.oversubscription_max.begin(), api.oversubscription_max.end()};
  out.init_cpu_fractional = api.init_cpu_fractional;
  out.priority_classes = api.priority_classes;
  if (out.priority_classes.empty())
    for (const auto& entry : from.scheduling.classes) out.priority_classes.push_back(entry.name);
  out.grace_seconds_min = whole_seconds(api.grace_min);
  out.grace_seconds_max = whole_seconds(api.grace_max);
  out.restricted_toleration_keys = api.restricted_toleration_keys;
  out.priority_class = from.scheduling.keys.default_class;
  out.deadline_seconds = whole_seconds(api.default_deadline);
  out.deadline_seconds_by_resource.clear();
  for (const auto& [resource, deadline] : api.default_deadline_by_resource)
    out.deadline_seconds_by_resource[resource] = whole_seconds(deadline);
  out.container_requests = api.default_requests;
  out.tolerations = to_model(api.default_tolerations);
  for (const auto& one : api.tolerations_by_class)
    out.tolerations_by_class[one.name] = to_model(one.tolerations);
  for (const auto& one : api.tolerations_by_resource)
    out.tolerations_by_resource[one.name] = to_model(one.tolerations);
  out.gang_id_label = api.add_gang_id_label;
  out.gang_uniformity_label = from.scheduling.keys.default_uniformity_label;
  return out;
}

}  // namespace argosy::argosyd
