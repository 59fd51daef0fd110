// SPDX-License-Identifier: Apache-2.0
#include "messages/codec/log/log_event.hpp"

#include "messages/codec/api/retry_codec.hpp"
#include "messages/codec/log/log_values.hpp"

namespace argosy::codec {

namespace {

using wire_event = log::v1::Event;

/// Puts each kind of payload into its field.
struct event_writer {
  wire_event& out;
  bool with_spec;

  void operator()(const model::queue_set& e) const {
    to_wire(e.settings, *out.mutable_queue_set()->mutable_settings());
  }
  void operator()(const model::queue_deleted&) const { out.mutable_queue_deleted(); }
  void operator()(const model::job_submitted& e) const {
    auto& message = *out.mutable_job_submitted();
    to_wire(*e.header, *message.mutable_header());
    if (with_spec && e.header->spec) message.set_spec(*e.header->spec);
  }
  void operator()(const model::submission_accepted& e) const {
    auto& message = *out.mutable_submission_accepted();
    message.set_key(e.key);
    message.set_content_hash(e.content_hash);
    for (const auto& range : e.jobs) to_wire(range, *message.add_jobs());
  }
  void operator()(const model::job_leased& e) const {
    auto& message = *out.mutable_job_leased();
    to_wire(e.run, *message.mutable_run());
    message.set_cluster(e.cluster.str());
    message.set_node(e.node.str());
    message.set_pool(e.pool.str());
    message.set_scheduled_at_priority(e.scheduled_at_priority);
    message.set_round(e.round);
  }
  void operator()(const model::run_pending& e) const {
    to_wire(e.run, *out.mutable_run_pending()->mutable_run());
  }
  void operator()(const model::run_running& e) const {
    to_wire(e.run, *out.mutable_run_running()->mutable_run());
  }
  void operator()(const model::run_succeeded& e) const {
    ended(e.run, e.outcome, *out.mutable_run_succeeded());
  }
  void operator()(const model::run_failed& e) const {
    ended(e.run, e.outcome, *out.mutable_run_failed());
  }
  void operator()(const model::lease_returned& e) const {
    to_wire(e.run, *out.mutable_lease_returned()->mutable_run());
    out.mutable_lease_returned()->set_reason(e.reason);
    out.mutable_lease_returned()->set_cause(static_cast<std::uint32_t>(e.cause));
    to_wire(e.nodes, *out.mutable_lease_returned()->mutable_nodes());
  }
  void operator()(const model::lease_expired& e) const {
    to_wire(e.run, *out.mutable_lease_expired()->mutable_run());
  }
  void operator()(const model::job_cancelling& e) const {
    job(e.job, e.requestor, e.reason, *out.mutable_job_cancelling());
  }
  void operator()(const model::job_cancelled& e) const {
    job(e.job, e.requestor, e.reason, *out.mutable_job_cancelled());
  }
  void operator()(const model::run_preempting& e) const {
    preempted(e, *out.mutable_run_preempting());
    out.mutable_run_preempting()->set_requeue(e.requeue);
  }
  void operator()(const model::job_preempted& e) const {
    preempted(e, *out.mutable_job_preempted());
  }
  void operator()(const model::job_rejected& e) const {
    job(e.job, {}, e.reason, *out.mutable_job_rejected());
  }
  void operator()(const model::job_reprioritized& e) const {
    auto& message = *out.mutable_job_reprioritized();
    const auto id = to_wire(e.job);
    message.set_job(id.data(), id.size());
    message.set_priority(e.priority);
    message.set_requestor(e.requestor);
  }
  void operator()(const model::job_held& e) const {
    job(e.job, e.requestor, e.reason, *out.mutable_job_held());
    out.mutable_job_held()->set_blocked(e.blocked);
  }
  void operator()(const model::job_released& e) const {
    job(e.job, e.requestor, e.reason, *out.mutable_job_released());
  }
  void operator()(const model::cluster_joined& e) const {
    to_wire(e.cluster, *out.mutable_cluster_joined()->mutable_cluster());
  }
  void operator()(const model::cluster_left& e) const {
    out.mutable_cluster_left()->set_cluster(e.cluster);
    out.mutable_cluster_left()->set_reason(e.reason);
  }
  void operator()(const model::cluster_erased& e) const {
    out.mutable_cluster_erased()->set_cluster(e.cluster);
    out.mutable_cluster_erased()->set_incarnation(e.incarnation.value);
  }
  void operator()(const model::nodes_changed& e) const {
    auto& message = *out.mutable_nodes_changed();
    message.set_cluster(e.cluster);
    for (const auto& node : e.set) to_wire(node, *message.add_set());
    for (const auto& name : e.removed) message.add_removed(name);
  }
  void operator()(const model::generation_begun& e) const {
    to_wire(e, *out.mutable_generation_begun());
  }
  void operator()(const model::planes_changed& e) const {
    auto& message = *out.mutable_planes_changed();
    for (const auto& plane : e.planes) to_wire(plane, *message.add_planes());
  }
  void operator()(const model::leader_elected& e) const {
    to_wire(e, *out.mutable_leader_elected());
  }
  void operator()(const model::round_decided& e) const { to_wire(e, *out.mutable_round_decided()); }
  void operator()(const model::run_noted& e) const {
    to_wire(e.run, *out.mutable_run_noted()->mutable_run());
    out.mutable_run_noted()->set_note(e.note);
    if (!e.pod.empty()) to_wire(e.pod, *out.mutable_run_noted()->mutable_pod());
    if (!e.usage.empty()) to_wire(e.usage, *out.mutable_run_noted()->mutable_usage());
  }
  void operator()(const model::run_retried& e) const {
    auto& message = *out.mutable_run_retried();
    to_wire(e.run, *message.mutable_run());
    to_wire(e.outcome, *message.mutable_outcome());
    message.set_policy(e.policy);
    message.set_avoid_node(e.avoid_node);
    message.set_memory(e.memory);
  }
  void operator()(const model::retry_policy_set& e) const {
    to_wire(e.policy, *out.mutable_retry_policy_set()->mutable_policy());
  }
  void operator()(const model::retry_policy_deleted& e) const {
    out.mutable_retry_policy_deleted()->set_name(e.name);
  }
  void operator()(const model::cordon_changed& e) const {
    auto& message = *out.mutable_cordon_changed();
    message.set_cluster(e.cluster);
    message.set_node(e.node);
    message.set_on(e.on);
    message.set_by(e.by);
    message.set_reason(e.reason);
  }
  void operator()(const model::call_recorded& e) const { to_wire(e, *out.mutable_call_recorded()); }
  void operator()(const model::settings_changed& e) const {
    to_wire(e, *out.mutable_settings_changed());
  }
  void operator()(const model::operation_changed& e) const {
    to_wire(e.now, *out.mutable_operation_changed()->mutable_operation());
  }
  void operator()(const model::history_expired& e) const {
    auto& message = *out.mutable_history_expired();
    message.set_events_before_ns(e.events_before_ns);
    message.set_client_ids_before_ns(e.client_ids_before_ns);
    message.set_records_max(e.records_max);
    message.set_audit_before_ns(e.audit_before_ns);
    for (const auto number : e.audit_numbers) message.add_audit_numbers(number);
    for (const auto& one : e.ended) {
      auto& each = *message.add_ended();
      each.set_queue(one.queue);
      each.set_state(static_cast<std::uint32_t>(one.state));
      each.set_before_ns(one.before_ns);
    }
  }

 private:
  static void ended(const model::run_key& run, const model::run_outcome& outcome,
                    log::v1::RunChanged& message) {
    to_wire(run, *message.mutable_run());
    to_wire(outcome, *message.mutable_outcome());
  }
  static void job(const ulid& job, const std::string& requestor, const std::string& reason,
                  log::v1::JobChanged& message) {
    const auto id = to_wire(job);
    message.set_job(id.data(), id.size());
    message.set_requestor(requestor);
    message.set_reason(reason);
  }
  template <class Payload>
  static void preempted(const Payload& e, log::v1::RunPreempted& message) {
    to_wire(e.run, *message.mutable_run());
    if (!e.preemptor.is_nil()) {
      const auto id = to_wire(e.preemptor);
      message.set_preemptor(id.data(), id.size());
    }
    message.set_reason(e.reason);
    message.set_requestor(e.requestor);
  }
};

}  // namespace

void to_wire(const model::event& event, bool with_spec, wire_event& out) {
  out.set_time_ns(event.time_ns);
  out.set_queue(event.queue);
  std::visit(event_writer{out, with_spec}, event.payload);
}

}  // namespace argosy::codec
