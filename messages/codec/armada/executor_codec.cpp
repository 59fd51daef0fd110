// SPDX-License-Identifier: Apache-2.0
#include "messages/codec/armada/executor_codec.hpp"

#include <google/protobuf/arena.h>

#include <algorithm>
#include <array>
#include <limits>
#include <map>

#include "messages/codec/api/job_codec.hpp"
#include "messages/codec/api/request_weight.hpp"
#include "messages/proto/armada/executorapi.pb.h"
#include "runtime/base/text.hpp"
#include "runtime/model/agent_run.hpp"
#include "runtime/model/amounts.hpp"
#include "runtime/model/quantity.hpp"

namespace argosy::codec {

namespace {

using model::run_phase;
using event = armadaevents::EventSequence::Event;
template <class Value>
using map_of = google::protobuf::Map<std::string, Value>;
using quantity = k8s::io::apimachinery::pkg::api::resource::Quantity;

template <class Message>
result<Message*> read(std::string_view bytes, google::protobuf::Arena& arena) {
  auto* out = google::protobuf::Arena::CreateMessage<Message>(&arena);
  if (auto done = read_request(bytes, *out); !done) return fail(std::move(done.error()));
  return out;
}

/// Kubernetes counts some things in forms that nothing here asks for: they are passed over.
model::resource_list amounts_of(const map_of<quantity>& in) {
  std::map<std::string, std::int64_t> sorted;
  for (const auto& [name, amount] : in)
    if (const auto known = model::parse_quantity(amount.string(), model::unit_of(name)))
      sorted[name] = *known;
  return {sorted.begin(), sorted.end()};
}

model::node_info node_of(const executorapi::NodeInfo& in) {
  model::node_info out;
  out.name = model::node_name{in.name()};
  out.total = out.allocatable = amounts_of(in.total_resources());
  for (const auto& [priority, used] : in.non_armada_allocated_resources()) {
    const auto held = amounts_of(used.resources());
    for (auto& [name, left] : out.allocatable)
      left = std::max<std::int64_t>(0, left - model::amount_of(held, name));
  }
  const std::map<std::string, std::string> labels(in.labels().begin(), in.labels().end());
  out.labels.assign(labels.begin(), labels.end());
  for (const auto& taint : in.taints())
    out.taints.push_back({taint.key(), taint.value(), taint.effect()});
  out.unschedulable = in.unschedulable();
  return out;
}

/// The time of an event; 0 for one that no clock can show.
std::int64_t nanos_of(const event& in) {
  constexpr std::int64_t second = 1'000'000'000;
  const auto seconds = in.created().seconds();
  const auto nanos = in.created().nanos();
  constexpr auto seconds_max = std::numeric_limits<std::int64_t>::max() / second - 1;
  if (seconds < 0 || seconds > seconds_max || nanos < 0 || nanos >= second) return 0;
  return seconds * second + nanos;
}

/// A word for machines; the container's own one says more if there is one.
std::string reason_of(const armadaevents::PodError& in, const std::string& of_container) {
  switch (in.kubernetes_reason()) {
    case armadaevents::Evicted:
      return "Evicted";
    case armadaevents::OOM:
      return "OOMKilled";
    case armadaevents::DeadlineExceeded:
      return "DeadlineExceeded";
    default:
      return of_container.empty() ? "Error" : of_container;
  }
}

model::run_outcome outcome_of(const armadaevents::PodError& in) {
  constexpr std::int32_t exit_max = 255;
  model::run_outcome out;
  std::string word;
  out.message = in.message();
  for (const auto& container : in.containererrors()) {
    if (container.exit_code() == 0 || container.exit_code() > exit_max) continue;
    out.exit_code = container.exit_code();
    word = container.reason();
    if (!container.message().empty())
      out.message += (out.message.empty() ? "" : ": ") + container.message();
    break;
  }
  for (const auto& container : in.containererrors())
    out.containers.push_back({container.objectmeta().name(), container.exit_code(),
                              container.reason(), container.message()});
  out.reason = reason_of(in, word);
  return out;
}

/// The executor's own category, which retry policies name.
std::string category_of(const armadaevents::Error& in) {
  if (in.failure_subcategory().empty()) return in.failure_category();
  return in.failure_category() + "/" + in.failure_subcategory();
}

void take_errors(const armadaevents::JobRunErrors& in, ledger::armada_event& out) {
  const auto end = std::find_if(in.errors().begin(), in.errors().end(),
                                [](const auto& each) { return each.terminal(); });
  if (end == in.errors().end()) return;
  out.phase = run_phase::failed;
  if (end->has_podleasereturned()) {
    const auto& back = end->podleasereturned();
    out.phase = run_phase::refused;
    out.outcome.message = back.message();
    // The executor says that the run was attempted also where no pod could be made, so that
    // nothing is known against the node. Armada tries the job on other nodes.
    out.outcome.reason =
        back.run_attempted() ? model::reason_refused_here : model::reason_cluster_refused;
  } else if (end->has_poderror()) {
    out.outcome = outcome_of(end->poderror());
  } else {
    out.outcome.reason = "Error";
    out.outcome.message = "its executor reported an error of another kind";
  }
  // The category of a refused run says more here than an executor can know.
  if (out.phase == run_phase::failed) out.outcome.category = category_of(*end);
}

/// Reads the addresses of a pod. The object that the event names is an ingress or a service, so
/// that its id is not the pod's.
model::pod_facts facts_of(const armadaevents::StandaloneIngressInfo& in) {
  model::pod_facts out{{}, {in.ingress_addresses().begin(), in.ingress_addresses().end()}};
  std::ranges::sort(out.addresses);
  return out;
}

model::label_list quantities_of(const map_of<quantity>& in) {
  model::label_list out;
  for (const auto& [name, amount] : in) out.emplace_back(name, amount.string());
  std::ranges::sort(out);
  return out;
}

model::run_usage usage_of(const armadaevents::ResourceUtilisation& in) {
  return {quantities_of(in.max_resources_for_period()),
          quantities_of(in.avg_resources_for_period()), quantities_of(in.total_cumulative_usage())};
}

/// Reads what an event of a run's pod says of it.
template <class Message>
model::pod_facts pod_in(const Message& in) {
  for (const auto& each : in.resourceinfos())
    if (each.has_podinfo()) return {each.objectmeta().kubernetes_id()};
  return {};
}

template <class Message>
std::optional<model::run_key> run_named(const Message& in) {
  return run_of(in.job_id(), in.run_id());
}

ledger::armada_event event_of(const event& in) {
  ledger::armada_event out;
  out.time_ns = nanos_of(in);
  switch (in.event_case()) {
    case event::kJobRunAssigned:
      out.run = run_named(in.jobrunassigned());
      out.phase = run_phase::pending;
      out.pod = pod_in(in.jobrunassigned());
      break;
    case event::kJobRunRunning:
      out.run = run_named(in.jobrunrunning());
      out.phase = run_phase::running;
      out.pod = pod_in(in.jobrunrunning());
      break;
    case event::kJobRunSucceeded:
      out.run = run_named(in.jobrunsucceeded());
      out.phase = run_phase::succeeded;
      out.outcome.exit_code = 0;
      break;
    case event::kJobRunErrors:
      out.run = run_named(in.jobrunerrors());
      take_errors(in.jobrunerrors(), out);
      break;
    case event::kStandaloneIngressInfo:
      out.run = run_named(in.standaloneingressinfo());
      out.pod = facts_of(in.standaloneingressinfo());
      break;
    case event::kResourceUtilisation:
      out.run = run_named(in.resourceutilisation());
      out.usage = usage_of(in.resourceutilisation());
      break;
    case event::kJobRunPreempted:
      out.run =
          run_of(in.jobrunpreempted().preempted_job_id(), in.jobrunpreempted().preempted_run_id());
      break;
    case event::kJobRunTerminatedDebugInfo:
      out.run = run_named(in.jobrunterminateddebuginfo());
      break;
    case event::EVENT_NOT_SET:
      break;
  }
  return out;
}

}  // namespace

result<ledger::armada_request> decode_lease_request(std::string_view bytes) {
  google::protobuf::Arena arena;
  const auto read_in = read<executorapi::LeaseRequest>(bytes, arena);
  if (!read_in) return fail(read_in.error());
  const auto& in = **read_in;
  if (in.executor_id().empty())
    return fail(ec::invalid_argument, "executor_id is empty: it is the name of the cluster");
  ledger::armada_request out;
  out.cluster = model::cluster_name{in.executor_id()};
  out.pool = model::pool_name{in.pool()};
  out.leases_max = in.max_jobs_to_lease();
  for (const auto& node : in.nodes()) {
    for (const auto& [id, state] : node.run_ids_by_state())
      out.runs.push_back(
          {id, model::node_name{node.name()},
           state == api::RUNNING || state == api::SUCCEEDED || state == api::FAILED});
    const bool elsewhere = !node.pool().empty() && !in.pool().empty() && node.pool() != in.pool();
    if (!node.name().empty() && !elsewhere) out.nodes.push_back(node_of(node));
  }
  for (const auto& id : in.unassigned_job_run_ids()) out.runs.push_back({id, {}, false});
  return out;
}

result<std::vector<ledger::armada_event>> decode_executor_events(std::string_view bytes) {
  google::protobuf::Arena arena;
  const auto in = read<executorapi::EventList>(bytes, arena);
  if (!in) return fail(in.error());
  std::vector<ledger::armada_event> out;
  for (const auto& sequence : (*in)->events())
    for (const auto& each : sequence.events()) out.push_back(event_of(each));
  return out;
}

std::string name_of_run(const model::run_key& run) {
  return run_id(run);
}

std::vector<model::run_key> runs_of(const std::string& run_id) {
  std::vector<model::run_key> out;
  for (const auto& job : jobs_of_run(run_id))
    out.push_back({job, static_cast<std::uint32_t>(out.size() + 1)});
  return out;
}

std::string encode_cancels(const std::vector<std::string>& runs) {
  executorapi::LeaseStreamMessage out;
  out.mutable_cancel_runs()->mutable_job_run_ids_to_cancel()->Assign(runs.begin(), runs.end());
  return out.SerializeAsString();
}

std::string encode_lease_end() {
  executorapi::LeaseStreamMessage out;
  out.mutable_end();
  return out.SerializeAsString();
}

}  // namespace argosy::codec
