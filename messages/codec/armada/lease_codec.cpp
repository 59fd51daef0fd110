// SPDX-License-Identifier: Apache-2.0
// This file makes leases. An executor looks at all metadata and at the pod without asking whether
// they are there, so that each lease has them.
#include <google/protobuf/arena.h>

#include <algorithm>

#include "messages/codec/api/job_codec.hpp"
#include "messages/codec/armada/derived_objects.hpp"
#include "messages/codec/armada/executor_codec.hpp"
#include "messages/codec/pod_memory.hpp"
#include "messages/codec/wire.hpp"
#include "messages/proto/armada/executorapi.pb.h"
#include "runtime/base/text.hpp"

namespace argosy::codec {

namespace {

namespace core = k8s::io::api::core::v1;

bool contains(const std::vector<std::string>& list, const std::string& name) {
  return std::find(list.begin(), list.end(), name) != list.end();
}

/// What decides where and in which order pods run is Argosy's, whatever the user wrote.
void fill_pod(const model::start_run& order, const lease_rules& rules,
              const std::string& node_value, core::PodSpec& pod) {
  grow_memory(order.requests, pod);
  for (auto* list : {pod.mutable_initcontainers(), pod.mutable_containers()})
    for (auto& each : *list)
      for (const auto& name : rules.floating_resources) {
        each.mutable_resources()->mutable_requests()->erase(name);
        each.mutable_resources()->mutable_limits()->erase(name);
      }
  (*pod.mutable_nodeselector())[rules.node_label] = node_value;
  pod.set_restartpolicy("Never");
  pod.set_terminationgraceperiodseconds(order.grace_seconds);
  if (order.deadline_seconds > 0) pod.set_activedeadlineseconds(order.deadline_seconds);
  if (!rules.priority_class.empty()) pod.set_priorityclassname(rules.priority_class);
  pod.clear_nodename();
  pod.clear_priority();
}

}  // namespace

result<std::string> encode_lease(const model::start_run& order, const lease_rules& rules,
                                 const std::string& node_value) {
  google::protobuf::Arena arena;
  auto& spec = *google::protobuf::Arena::CreateMessage<log::v1::JobSpec>(&arena);
  if (auto ok = decode(order.spec ? *order.spec : std::string{}, spec, "job specification"); !ok)
    return fail(std::move(ok.error()));
  auto& out = *google::protobuf::Arena::CreateMessage<executorapi::LeaseStreamMessage>(&arena);
  auto& lease = *out.mutable_lease();
  lease.set_job_run_id(run_id(order.run));
  lease.set_queue(order.queue);
  lease.set_jobset(order.job_set);
  lease.set_user(order.owner);
  *lease.mutable_groups() = spec.owner_groups();

  auto& job = *lease.mutable_job();
  const auto id = to_string(order.run.job);
  const bool preemptible = contains(rules.preemptible_classes, spec.pod_spec().priorityclassname());
  job.set_job_id(id);
  job.set_deduplication_id(id);
  job.set_preemptible(preemptible);
  job.set_scheduler(spec.scheduler());
  job.set_external_job_uri(spec.external_job_uri());

  auto& meta = *job.mutable_objectmeta();
  meta.set_executor_id(rules.cluster);
  meta.set_namespace_(order.name_space);
  *meta.mutable_labels() = spec.labels();
  *meta.mutable_annotations() = spec.annotations();
  (*meta.mutable_annotations())["armadaproject.io/pool"] = rules.pool;
  (*meta.mutable_labels())["armada_preemptible"] = preemptible ? "true" : "false";
  *job.mutable_mainobject()->mutable_objectmeta() = meta;
  add_derived_objects(order, spec, rules.cluster, job);
  auto& pod = *job.mutable_mainobject()->mutable_pod_spec()->mutable_pod_spec();
  pod = spec.pod_spec();
  fill_pod(order, rules, node_value, pod);
  return out.SerializeAsString();
}

}  // namespace argosy::codec
