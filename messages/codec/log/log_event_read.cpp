// SPDX-License-Identifier: Apache-2.0
// This file reads the events of the log; log_event.cpp writes them.
#include "messages/codec/api/retry_codec.hpp"
#include "messages/codec/log/log_event.hpp"
#include "messages/codec/log/log_values.hpp"

namespace argosy::codec {

namespace {

using wire_event = log::v1::Event;
using payload_result = result<model::event_payload>;

payload_result read_submitted(const log::v1::JobSubmitted& in, const std::string& queue) {
  auto header = from_wire(in.header(), queue);
  if (!header) return fail(std::move(header.error()));
  if (!in.spec().empty()) header->spec = std::make_shared<const std::string>(in.spec());
  return model::job_submitted{std::make_shared<const model::job_header>(std::move(*header))};
}

payload_result read_accepted(const log::v1::SubmissionAccepted& in) {
  model::submission_accepted out{in.key(), in.content_hash(), {}};
  for (const auto& each : in.jobs()) {
    const auto range = from_wire(each);
    if (!range) return fail(range.error());
    out.jobs.push_back(*range);
  }
  return model::event_payload{std::move(out)};
}

payload_result read_leased(const log::v1::JobLeased& in) {
  auto run = from_wire(in.run());
  if (!run) return fail(std::move(run.error()));
  return model::job_leased{*run,
                           model::cluster_name{in.cluster()},
                           model::node_name{in.node()},
                           model::pool_name{in.pool()},
                           in.scheduled_at_priority(),
                           in.round()};
}

/// The payload that `make` builds from the run.
template <class Make>
payload_result read_run(const log::v1::RunKey& in, Make make) {
  auto run = from_wire(in);
  if (!run) return fail(std::move(run.error()));
  return model::event_payload{make(*run)};
}

template <class Payload>
payload_result read_ended(const log::v1::RunChanged& in) {
  return read_run(in.run(), [&](const model::run_key& run) {
    return Payload{run, from_wire(in.outcome())};
  });
}

payload_result read_returned(const log::v1::RunChanged& in) {
  auto cause = enum_from_wire(in.cause(), model::return_cause::refused_to_all, "cause of a return");
  if (!cause) return fail(std::move(cause.error()));
  auto nodes = from_wire(in.nodes());
  if (!nodes) return fail(std::move(nodes.error()));
  return read_run(in.run(), [&](const model::run_key& run) {
    return model::lease_returned{run, in.reason(), *cause, std::move(*nodes)};
  });
}

template <class Payload>
payload_result read_job(const log::v1::JobChanged& in) {
  auto job = ulid_from_wire(in.job());
  if (!job) return fail(std::move(job.error()));
  if constexpr (std::is_same_v<Payload, model::job_rejected>)
    return model::event_payload{Payload{*job, in.reason()}};
  else if constexpr (std::is_same_v<Payload, model::job_held>)
    return model::event_payload{Payload{*job, in.requestor(), in.reason(), in.blocked()}};
  else
    return model::event_payload{Payload{*job, in.requestor(), in.reason()}};
}

template <class Payload>
payload_result read_preempted(const log::v1::RunPreempted& in) {
  auto preemptor = optional_ulid_from_wire(in.preemptor());
  if (!preemptor) return fail(std::move(preemptor.error()));
  return read_run(in.run(), [&](const model::run_key& run) {
    Payload out{run, *preemptor, in.reason(), in.requestor()};
    if constexpr (std::is_same_v<Payload, model::run_preempting>) out.requeue = in.requeue();
    return out;
  });
}

payload_result read_expired(const log::v1::HistoryExpired& in) {
  model::history_expired out{in.events_before_ns(), in.client_ids_before_ns(), in.records_max(),
                             in.audit_before_ns()};
  out.audit_numbers.assign(in.audit_numbers().begin(), in.audit_numbers().end());
  for (const auto& one : in.ended()) {
    const auto state = enum_from_wire(one.state(), model::job_state::rejected, "job state");
    if (!state) return fail(state.error());
    out.ended.push_back({model::queue_name{one.queue()}, *state, one.before_ns()});
  }
  return model::event_payload{std::move(out)};
}

payload_result read_round(const log::v1::RoundDecided& in) {
  auto round = from_wire(in);
  if (!round) return fail(std::move(round.error()));
  return model::event_payload{std::move(*round)};
}

payload_result read_nodes(const log::v1::NodesChanged& in) {
  model::nodes_changed out{
      model::cluster_name{in.cluster()}, {}, {in.removed().begin(), in.removed().end()}};
  for (const auto& entry : in.set()) {
    auto node = from_wire(entry);
    if (!node) return fail(std::move(node.error()));
    out.set.push_back(std::move(*node));
  }
  return model::event_payload{std::move(out)};
}

payload_result read_policy(const api::RetryPolicy& in) {
  auto policy = from_wire(in);
  if (!policy) return fail(ec::corrupt, "a stored retry policy: " + policy.error().detail);
  return model::event_payload{model::retry_policy_set{std::move(*policy)}};
}

payload_result read_operation(const log::v1::Operation& in) {
  auto operation = from_wire(in);
  if (!operation) return fail(std::move(operation.error()));
  return model::event_payload{model::operation_changed{std::move(*operation)}};
}

payload_result read_planes(const log::v1::PlanesChanged& in) {
  model::planes_changed out;
  for (const auto& plane : in.planes()) out.planes.push_back(from_wire(plane));
  return model::event_payload{std::move(out)};
}

/// Events of clusters, of retry policies and of the control plane.
payload_result read_other(const wire_event& in) {
  switch (in.payload_case()) {
    case wire_event::kClusterJoined:
      return model::event_payload{model::cluster_joined{from_wire(in.cluster_joined().cluster())}};
    case wire_event::kClusterLeft:
      return model::event_payload{model::cluster_left{
          model::cluster_name{in.cluster_left().cluster()}, in.cluster_left().reason()}};
    case wire_event::kClusterErased:
      return model::event_payload{model::cluster_erased{
          model::cluster_name{in.cluster_erased().cluster()}, {in.cluster_erased().incarnation()}}};
    case wire_event::kNodesChanged:
      return read_nodes(in.nodes_changed());
    case wire_event::kLeaderElected:
      return model::event_payload{from_wire(in.leader_elected())};
    case wire_event::kRoundDecided:
      return read_round(in.round_decided());
    case wire_event::kRetryPolicySet:
      return read_policy(in.retry_policy_set().policy());
    case wire_event::kRetryPolicyDeleted:
      return model::event_payload{model::retry_policy_deleted{in.retry_policy_deleted().name()}};
    case wire_event::kCordonChanged: {
      const auto& cordon = in.cordon_changed();
      return model::event_payload{model::cordon_changed{model::cluster_name{cordon.cluster()},
                                                        model::node_name{cordon.node()},
                                                        cordon.on(), cordon.by(), cordon.reason()}};
    }
    case wire_event::kCallRecorded:
      return model::event_payload{from_wire(in.call_recorded())};
    case wire_event::kSettingsChanged:
      return model::event_payload{from_wire(in.settings_changed())};
    case wire_event::kOperationChanged:
      return read_operation(in.operation_changed().operation());
    case wire_event::kHistoryExpired:
      return read_expired(in.history_expired());
    case wire_event::kPlanesChanged:
      return read_planes(in.planes_changed());
    case wire_event::kGenerationBegun:
      return model::event_payload{from_wire(in.generation_begun())};
    default:
      return fail(ec::corrupt, "the event is of an unknown kind: written by a newer version?");
  }
}

payload_result read_payload(const wire_event& in) {
  switch (in.payload_case()) {
    case wire_event::kQueueSet:
      return model::event_payload{model::queue_set{from_wire(in.queue_set().settings())}};
    case wire_event::kQueueDeleted:
      return model::event_payload{model::queue_deleted{}};
    case wire_event::kJobSubmitted:
      return read_submitted(in.job_submitted(), in.queue());
    case wire_event::kSubmissionAccepted:
      return read_accepted(in.submission_accepted());
    case wire_event::kJobLeased:
      return read_leased(in.job_leased());
    case wire_event::kRunPending:
      return read_run(in.run_pending().run(), [](auto run) { return model::run_pending{run}; });
    case wire_event::kRunRunning:
      return read_run(in.run_running().run(), [](auto run) { return model::run_running{run}; });
    case wire_event::kRunSucceeded:
      return read_ended<model::run_succeeded>(in.run_succeeded());
    case wire_event::kRunFailed:
      return read_ended<model::run_failed>(in.run_failed());
    case wire_event::kLeaseReturned:
      return read_returned(in.lease_returned());
    case wire_event::kLeaseExpired:
      return read_run(in.lease_expired().run(), [](auto run) { return model::lease_expired{run}; });
    case wire_event::kJobCancelling:
      return read_job<model::job_cancelling>(in.job_cancelling());
    case wire_event::kJobCancelled:
      return read_job<model::job_cancelled>(in.job_cancelled());
    case wire_event::kRunPreempting:
      return read_preempted<model::run_preempting>(in.run_preempting());
    case wire_event::kJobPreempted:
      return read_preempted<model::job_preempted>(in.job_preempted());
    case wire_event::kJobRejected:
      return read_job<model::job_rejected>(in.job_rejected());
    case wire_event::kJobReprioritized: {
      auto job = ulid_from_wire(in.job_reprioritized().job());
      if (!job) return fail(std::move(job.error()));
      return model::event_payload{model::job_reprioritized{*job, in.job_reprioritized().priority(),
                                                           in.job_reprioritized().requestor()}};
    }
    case wire_event::kJobHeld:
      return read_job<model::job_held>(in.job_held());
    case wire_event::kJobReleased:
      return read_job<model::job_released>(in.job_released());
    case wire_event::kRunNoted:
      return read_run(in.run_noted().run(), [&](auto run) {
        const auto& noted = in.run_noted();
        return model::run_noted{run, noted.note(), from_wire(noted.pod()),
                                from_wire(noted.usage())};
      });
    case wire_event::kRunRetried:
      return read_run(in.run_retried().run(), [&](auto run) {
        const auto& retried = in.run_retried();
        return model::run_retried{run, from_wire(retried.outcome()), retried.policy(),
                                  retried.avoid_node(), retried.memory()};
      });
    default:
      return read_other(in);
  }
}

}  // namespace

result<model::event> from_wire(const wire_event& in) {
  auto payload = read_payload(in);
  if (!payload) return fail(std::move(payload.error()));
  return model::event{in.time_ns(), model::queue_name{in.queue()}, std::move(*payload)};
}

}  // namespace argosy::codec
