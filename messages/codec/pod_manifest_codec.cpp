// SPDX-License-Identifier: Apache-2.0
#include "messages/codec/pod_manifest_codec.hpp"

#include <google/protobuf/arena.h>

#include <set>

#include "messages/codec/api/job_codec.hpp"
#include "messages/codec/attached_manifest_codec.hpp"
#include "messages/codec/job_variables.hpp"
#include "messages/codec/pod_memory.hpp"
#include "messages/codec/rest/go_json.hpp"
#include "messages/codec/submit/own_annotations.hpp"
#include "messages/codec/wire.hpp"
#include "runtime/model/label_syntax.hpp"

namespace argosy::codec {

namespace {

namespace core = k8s::io::api::core::v1;

/// The text, if it can be a label's value; empty otherwise.
std::string label_value(const std::string& text) {
  return model::is_label_value(text) ? text : std::string{};
}

/// The job's variables go first, so that those of the user can refer to them. What the user has set
/// stays as it is.
void add_variables(const model::label_list& variables, core::Container& container) {
  std::set<std::string, std::less<>> own;
  for (const auto& each : container.env()) own.insert(each.name());
  google::protobuf::RepeatedPtrField<core::EnvVar> all;
  for (const auto& [name, value] : variables) {
    if (own.contains(name)) continue;
    auto& entry = *all.Add();
    entry.set_name(name);
    entry.set_value(value);
  }
  all.MergeFrom(container.env());
  container.mutable_env()->Swap(&all);
}

/// What decides where, in which order and for how long pods run is Argosy's, whatever the user
/// wrote.
void fill(const model::start_run& order, const log::v1::JobSpec& spec, core::PodSpec& pod) {
  const auto variables = job_variables(order, spec);
  for (auto& each : *pod.mutable_initcontainers()) add_variables(variables, each);
  for (auto& each : *pod.mutable_containers()) add_variables(variables, each);
  grow_memory(order.requests, pod);
  pod.set_restartpolicy("Never");
  pod.set_terminationgraceperiodseconds(order.grace_seconds);
  if (order.deadline_seconds > 0)
    pod.set_activedeadlineseconds(order.deadline_seconds);
  else
    pod.clear_activedeadlineseconds();
  pod.clear_nodename();
  // Jobs that were submitted before these were refused would wait for ever.
  pod.clear_schedulername();
  pod.clear_schedulinggates();
  pod.clear_priorityclassname();
  pod.clear_priority();
  pod.clear_preemptionpolicy();
}

go_json labels_of(const model::start_run& order, const log::v1::JobSpec& spec) {
  auto out = go_json::object();
  // A job that an earlier version took may have labels of ours.
  for (const auto& [name, value] : from_wire(spec.labels()))
    if (!is_own_key(name)) out[name] = value;
  out["armada_job_id"] = to_string(order.run.job);
  out["armada_job_run_id"] = run_id(order.run);
  out["armada_pod_number"] = "0";
  out["armada_pod_count"] = "1";
  out["argosy.io/run"] = to_string(order.run);
  if (const auto queue = label_value(order.queue); !queue.empty()) out["armada_queue_id"] = queue;
  return out;
}

go_json annotations_of(const model::start_run& order, const log::v1::JobSpec& spec) {
  auto out = go_json::object();
  for (const auto& [name, value] : from_wire(spec.annotations())) out[name] = value;
  out["armada_jobset_id"] = order.job_set;
  out["armada_owner"] = order.owner;
  out["argosy.io/queue"] = order.queue;
  return out;
}

}  // namespace

std::string pod_name(const model::run_key& run) {
  return "armada-" + to_string(run.job) + "-" + std::to_string(run.number > 0 ? run.number - 1 : 0);
}

result<job_manifests> make_job_manifests(const model::start_run& order) {
  google::protobuf::Arena arena;
  auto& spec = *google::protobuf::Arena::CreateMessage<log::v1::JobSpec>(&arena);
  if (auto ok = decode(order.spec ? *order.spec : std::string{}, spec, "job specification"); !ok)
    return fail(std::move(ok.error()));
  if (order.name_space.empty())
    return fail(ec::invalid_argument,
                "the order to start the run names no namespace: the control plane is older than "
                "this agent and has to be replaced first");
  job_manifests made;
  made.owner_groups = {spec.owner_groups().begin(), spec.owner_groups().end()};
  made.attached = make_attached_manifests(order, spec, label_value(order.queue));
  auto& pod = *spec.mutable_pod_spec();
  fill(order, spec, pod);
  auto out = go_json::object();
  out["apiVersion"] = "v1";
  out["kind"] = "Pod";
  out["metadata"] = {{"name", pod_name(order.run)},
                     {"namespace", order.name_space},
                     {"labels", labels_of(order, spec)},
                     {"annotations", annotations_of(order, spec)}};
  out["spec"] = to_go_json(pod);
  made.pod = out.dump(-1, ' ', false, go_json::error_handler_t::replace);
  return made;
}

}  // namespace argosy::codec
