// SPDX-License-Identifier: Apache-2.0
#include "actors/api/summaries.hpp"

#include <algorithm>
#include <chrono>

#include "actors/api/namespace_notes.hpp"
#include "messages/codec/api/job_codec.hpp"
#include "messages/codec/operation_fields.hpp"
#include "runtime/model/namespace_part.hpp"
#include "runtime/model/node_trouble.hpp"
#include "runtime/model/run_note.hpp"

namespace argosy::actors {

void put_amounts(const model::resource_list& list, amounts& out) {
  for (const auto& [resource, amount] : list) {
    auto* item = out.Add();
    item->set_resource(resource);
    item->set_amount(amount);
  }
}

namespace {

/// A span of time for people: "42 s", "5 min", "3 h".
std::string span_text(boot_time span) {
  const auto seconds = std::chrono::duration_cast<std::chrono::seconds>(span).count();
  if (seconds < 120) return std::to_string(seconds) + " s";
  if (seconds < 120 * 60) return std::to_string(seconds / 60) + " min";
  return std::to_string(seconds / 3600) + " h";
}

std::string silence_text(const native::cluster_contact& contact, boot_time now) {
  if (native::is_away(contact)) return "is away, since " + contact.trouble.why;
  const auto span = span_text(std::max(now - contact.heard_at, boot_time{0}));
  return contact.heard_ns == 0 ? "has not been heard since the server started " + span + " ago"
                               : "has not been heard for " + span;
}

}  // namespace

std::string silence_of(const model::cluster_name& cluster, const native::contact_board& contacts,
                       boot_time now) {
  const auto contact = contacts.find(cluster);
  if (!contact || !native::out_of_contact(*contact)) return {};
  return "cluster '" + cluster + "' " + silence_text(*contact, now);
}

std::string silent_run(const model::cluster_name& cluster, const native::contact_board& contacts,
                       boot_time now) {
  const auto contact = contacts.find(cluster);
  return "cluster '" + cluster + "', where it runs, " +
         (contact ? silence_text(*contact, now) : "is not known") +
         (contact && native::is_away(*contact) ? "; what is told of the run may be old"
                                               : "; what the run does is not known");
}

std::optional<std::string> silent_output(const model::cluster_name& cluster,
                                         const native::contact_board& contacts, boot_time now) {
  // An agent that is heard says by itself whether it can read it.
  const auto contact = contacts.find(cluster);
  if (!contact || !native::out_of_contact(*contact) || native::is_away(*contact))
    return std::nullopt;
  return silence_of(cluster, contacts, now) +
         "; the output that it has can be read when it is back";
}

std::vector<std::string> silent_clusters(const native::contact_board& contacts, boot_time now) {
  std::vector<std::string> out;
  for (const auto& [cluster, contact] : contacts.all())
    if (native::out_of_contact(contact))
      out.push_back(
          "cluster '" + cluster + "' of pool " + contact.pool + " " + silence_text(contact, now) +
          ": its " +
          (contact.nodes == 1 ? "node takes" : std::to_string(contact.nodes) + " nodes take") +
          " no jobs");
  return cut_lines(std::move(out), "clusters are out of contact and take no jobs");
}

namespace {

/// A run is ordered to stop and listed as before until its agent reports the end.
std::string stopping_text(const model::job_record& job) {
  std::string text;
  switch (job.stopping) {
    case model::stop_cause::none:
      return job.reason;
    case model::stop_cause::cancel:
      text = "is being cancelled";
      break;
    case model::stop_cause::preempt:
      text = "is being preempted";
      break;
    case model::stop_cause::requeue:
      text = "is being stopped, to be queued again with its gang";
      break;
  }
  return job.reason.empty() ? text : text + ": " + job.reason;
}

}  // namespace

void summarize(const model::job_record& job, const native::contact_board& contacts,
               v1::JobSummary& out) {
  const auto& header = *job.header;
  out.set_job_id(to_string(header.id));
  out.set_queue(header.queue);
  out.set_job_set(header.job_set);
  out.set_name_space(header.name_space);
  out.set_owner(header.owner);
  out.set_name(header.name);
  out.set_state(codec::to_wire(job.state));
  out.set_priority(job.priority);
  if (header.shape) {
    out.set_priority_class(header.shape->priority_class);
    put_amounts(header.shape->requests, *out.mutable_requests());
  }
  out.set_submitted_ns(header.submitted_ns);
  out.set_changed_ns(job.changed_ns);
  out.set_reason(job.live_run() == nullptr ? job.reason : stopping_text(job));
  if (job.live_run() != nullptr) out.set_stopping(std::string{to_string(job.stopping)});
  if (job.hold) {
    out.set_reason(model::to_string(*job.hold));
    out.set_reason_code(std::string{model::code_of(*job.hold)});
    out.mutable_hold()->set_by(job.hold->by);
    out.mutable_hold()->set_reason(job.hold->reason);
    out.mutable_hold()->set_since_ns(job.hold->since_ns);
    out.mutable_hold()->set_blocked(job.hold->blocked);
    out.mutable_hold()->set_waits(job.hold->waits);
  }
  if (header.gang) {
    out.set_gang(header.gang->id);
    out.set_gang_cardinality(header.gang->cardinality);
  }
  if (job.runs.empty()) return;
  const auto& run = job.runs.back();
  out.set_run(run.number);
  out.set_cluster(run.cluster);
  out.set_node(run.node);
  out.set_pool(run.pool);
  out.set_leased_ns(run.leased_ns);
  out.set_started_ns(run.started_ns);
  out.set_finished_ns(run.finished_ns);
  out.set_note(run.note);
  for (const auto& [port, address] : run.pod.addresses)
    *out.mutable_note() += (out.note().empty() ? "port " : "; port ") + std::to_string(port) +
                           " is reached at " + address;
  if (job.live_run() != nullptr)
    if (const auto contact = contacts.find(run.cluster);
        contact && native::out_of_contact(*contact)) {
      out.set_cluster_silent(true);
      out.set_cluster_heard_ns(native::known_ns(*contact));
    }
  const bool ended =
      run.state == model::run_state::succeeded || run.state == model::run_state::failed;
  // A run that succeeded has exit code 0 by definition; how a failed run ended is not always known.
  // One that failed with 0 was ended by something else, such as its deadline, and the code would
  // say that all is well.
  out.set_has_exit_code(run.state == model::run_state::succeeded ||
                        (ended && run.outcome.exit_code.value_or(0) != 0));
  if (out.has_exit_code()) out.set_exit_code(run.outcome.exit_code.value_or(0));
  if (job.reason.empty() && !job.hold && !run.outcome.message.empty())
    out.set_reason(run.outcome.message);
  // The run's last note names what it waits for, which is the reason why the job does not run.
  const bool waits =
      run.state == model::run_state::leased || run.state == model::run_state::pending;
  if (waits && job.stopping == model::stop_cause::none)
    out.set_reason(std::string{model::last_note(run.note)});
}

void summarize(const native::job_set_summary& set, v1::JobSetSummary& out) {
  out.set_queue(set.queue);
  out.set_job_set(set.job_set);
  for (const auto& [state, count] : set.jobs)
    (*out.mutable_jobs_by_state())[api::JobState_Name(codec::to_wire(state))] = count;
  out.set_submitted_ns(set.submitted_ns);
  out.set_changed_ns(set.changed_ns);
}

void summarize(const native::node_status& node, const native::contact_board& contacts,
               v1::NodeSummary& out) {
  out.set_cluster(node.cluster);
  out.set_name(node.info.name);
  out.set_pool(node.pool);
  out.set_state(node.state);
  out.set_schedulable(node.state == "ready");
  put_amounts(node.info.allocatable, *out.mutable_total());
  put_amounts(node.used, *out.mutable_used());
  for (const auto& [key, value] : node.info.labels) (*out.mutable_labels())[key] = value;
  for (const auto& taint : node.info.taints) {
    auto* item = out.add_taints();
    item->set_key(taint.key);
    item->set_value(taint.value);
    item->set_effect(taint.effect);
  }
  out.set_runs(node.runs);
  const auto trouble = model::trouble_of(node.info);
  out.set_reason(!node.why.empty() ? node.why : !trouble.empty() ? trouble : node.cordon);
  out.set_quarantined_until_ns(node.quarantined_until_ns);
  if (node.drain) summarize(*node.drain, *out.mutable_drain());
  const auto contact = contacts.find(node.cluster);
  if (!contact || !native::out_of_contact(*contact)) return;
  out.set_cluster_heard_ns(native::known_ns(*contact));
  if (native::is_away(*contact) && out.reason().empty())
    out.set_reason("its cluster is away, since " + contact->trouble.why);
}

void summarize(const native::cluster_status& cluster, v1::ClusterSummary& out) {
  out.set_name(cluster.cluster.name);
  out.set_pool(cluster.cluster.pool);
  out.set_backend(cluster.cluster.backend);
  out.set_state(cluster.state);
  out.set_nodes(cluster.nodes);
  out.set_runs(cluster.runs);
  out.set_last_heard_ns(cluster.last_heard_ns);
  out.set_incarnation(cluster.cluster.incarnation.value);
  out.set_cordon(cluster.cordon);
  out.set_agent_version(cluster.agent_version);
  out.set_trouble(cluster.trouble.why);
  out.set_trouble_since_ns(cluster.trouble.since_ns);
  out.set_lacks(cluster.trouble.lacks);
  for (const auto& each : cluster.cluster.namespaces) out.add_namespaces(each);
  for (const auto& each : cluster.closures) {
    auto& item = *out.add_closures();
    item.set_namespace_(std::string{model::namespace_in(each.name_space)});
    item.set_whose(model::whose_jobs(each.name_space));
    item.set_kind(each.kind);
    item.set_why(each.why);
    item.set_since_ns(each.since_ns);
    item.set_seconds_left(seconds_left(each, cluster.told_at));
  }
  if (cluster.drain) summarize(*cluster.drain, *out.mutable_drain());
}

void summarize(const model::operation& operation, v1::Operation& out) {
  out.set_id(to_string(operation.id));
  out.set_kind(std::string{to_string(operation.kind)});
  out.set_state(std::string{to_string(operation.state)});
  codec::put_operation(operation, out);
}

void summarize(const ledger::recent_event& event, v1::ClusterEvent& out) {
  out.set_time_ns(event.time_ns);
  out.set_kind(std::string{to_string(event.kind)});
  out.set_node(event.node);
  out.set_by(event.by);
  out.set_text(to_sentence(event));
  out.set_count(event.count);
  if (!event.run) return;
  out.set_job_id(to_string(event.run->job));
  out.set_run(event.run->number);
}

}  // namespace argosy::actors
