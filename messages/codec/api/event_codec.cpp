// SPDX-License-Identifier: Apache-2.0
#include "messages/codec/api/event_codec.hpp"

#include <iterator>
#include <optional>

#include "messages/codec/api/job_codec.hpp"
#include "runtime/ledger/retry/failure_category.hpp"
#include "runtime/ledger/retry/runs_in_vain.hpp"
#include "runtime/model/agent_run.hpp"

namespace argosy::codec {

namespace {

/// Makes the messages of one event.
class message_writer {
 public:
  message_writer(const model::event& event, const model::job_header* header,
                 const model::run_record* run)
      : event_(event), header_(header), run_(run), job_(model::job_of(event)) {}

  result<std::vector<api::EventMessage>> write() {
    std::visit([this](const auto& payload) { add(payload); }, event_.payload);
    if (!failed_) return fail(failed_.error());
    return std::move(out_);
  }

 private:
  /// Fills the fields that all messages have.
  template <class Message>
  Message& common(Message& message) {
    message.set_job_id(to_string(job_));
    if (header_ != nullptr) message.set_job_set_id(header_->job_set);
    message.set_queue(event_.queue);
    to_wire(event_.time_ns, *message.mutable_created());
    return message;
  }
  api::EventMessage& next() { return out_.emplace_back(); }

  template <class Message>
  void place(Message& message) {
    message.set_pod_name("armada-" + to_string(job_) + "-0");
    if (header_ != nullptr) message.set_pod_namespace(header_->name_space);
    if (run_ == nullptr) return;
    message.set_cluster_id(run_->cluster.str());
    message.set_kubernetes_id(run_->pod.uid.empty() ? run_id({job_, run_->number}) : run_->pod.uid);
  }

  void add(const model::job_submitted& payload) {
    auto& submitted = common(*next().mutable_submitted());
    const auto& header = header_ != nullptr && header_->spec ? *header_ : *payload.header;
    failed_ = to_wire(header, *submitted.mutable_job());
    common(*next().mutable_queued());
  }
  void add(const model::job_leased& payload) {
    auto& leased = common(*next().mutable_leased());
    leased.set_cluster_id(payload.cluster.str());
    leased.set_pool(payload.pool.str());
  }
  void add(const model::run_pending&) {
    auto& pending = common(*next().mutable_pending());
    place(pending);
    if (run_ != nullptr) pending.set_pool(run_->pool.str());
  }
  void add(const model::run_running&) {
    auto& running = common(*next().mutable_running());
    place(running);
    if (run_ == nullptr) return;
    running.set_node_name(run_->node.str());
    running.set_pool(run_->pool.str());
  }
  void add(const model::run_succeeded&) {
    auto& succeeded = common(*next().mutable_succeeded());
    place(succeeded);
    if (run_ != nullptr) succeeded.set_node_name(run_->node.str());
  }
  void add(const model::run_failed& payload) { add_failure(payload.outcome, false); }
  void add(const model::run_retried& payload) { add_failure(payload.outcome, true); }
  void add_failure(const model::run_outcome& outcome, bool again) {
    auto& failed = common(*next().mutable_failed());
    failed.set_retryable(again);
    place(failed);
    if (run_ != nullptr) failed.set_node_name(run_->node.str());
    failed.set_reason(reason_of(outcome));
    failed.set_cause(cause_of(outcome));
    set_category(failed, ledger::category_of(outcome));
    for (const auto& each : outcome.containers) add_status(each, failed);
    // The wire cannot say that an exit code is unknown, so that such an end has no status.
    if (outcome.containers.empty() && outcome.exit_code)
      add_status({"main", *outcome.exit_code, outcome.reason, outcome.message}, failed);
  }
  static void add_status(const model::container_end& from, api::JobFailedEvent& failed) {
    auto& status = *failed.add_container_statuses();
    status.set_name(from.name);
    status.set_exitcode(from.exit_code);
    status.set_message(from.message);
    status.set_reason(from.reason);
    // A container beside the one that failed has ended as it should.
    if (from.exit_code != 0) status.set_cause(failed.cause());
  }
  void add(const model::run_noted& payload) {
    if (!payload.usage.empty()) add_usage(payload.usage);
    if (payload.pod.addresses.empty()) return;
    auto& info = common(*next().mutable_ingress_info());
    place(info);
    if (run_ != nullptr) info.set_node_name(run_->node.str());
    for (const auto& [port, address] : payload.pod.addresses)
      (*info.mutable_ingress_addresses())[port] = address;
  }
  void add_usage(const model::run_usage& usage) {
    auto& used = common(*next().mutable_utilisation());
    place(used);
    if (run_ != nullptr) used.set_node_name(run_->node.str());
    const auto fill = [](const model::label_list& from, auto& to) {
      for (const auto& [name, quantity] : from) to[name].set_string(quantity);
    };
    fill(usage.peak, *used.mutable_maxresourcesforperiod());
    fill(usage.average, *used.mutable_avgresourcesforperiod());
    fill(usage.total, *used.mutable_total_cumulative_usage());
  }
  void add(const model::lease_returned& payload) {
    auto& returned = common(*next().mutable_lease_returned());
    returned.set_reason(payload.reason);
    if (run_ != nullptr) returned.set_cluster_id(run_->cluster.str());
  }
  void add(const model::lease_expired&) { common(*next().mutable_lease_expired()); }
  void add(const model::job_cancelling& payload) {
    auto& cancelling = common(*next().mutable_cancelling());
    cancelling.set_requestor(payload.requestor);
    cancelling.set_reason(payload.reason);
  }
  void add(const model::job_cancelled& payload) {
    auto& cancelled = common(*next().mutable_cancelled());
    cancelled.set_requestor(payload.requestor);
    cancelled.set_reason(payload.reason);
  }
  void add(const model::run_preempting& payload) {
    auto& preempting = common(*next().mutable_preempting());
    preempting.set_requestor(payload.requestor);
    preempting.set_reason(payload.reason);
  }
  /// Writes two messages, since clients count a job as ended by its "failed".
  void add(const model::job_preempted& payload) {
    auto& preempted = common(*next().mutable_preempted());
    preempted.set_run_id(run_id(payload.run));
    preempted.set_reason(payload.reason);
    preempted.set_requestor(payload.requestor);
    if (!payload.preemptor.is_nil()) preempted.set_preempting_job_id(to_string(payload.preemptor));
    auto& failed = common(*next().mutable_failed());
    place(failed);
    failed.set_reason(payload.reason);
  }
  void add(const model::job_rejected& payload) {
    auto& failed = common(*next().mutable_failed());
    failed.set_reason(payload.reason);
    failed.set_cause(api::Rejected);
    set_category(failed, ledger::rejected_category);
  }
  void add(const model::job_reprioritized& payload) {
    auto& asked = common(*next().mutable_reprioritizing());
    asked.set_new_priority(payload.priority);
    asked.set_requestor(payload.requestor);
    auto& done = common(*next().mutable_reprioritized());
    done.set_new_priority(payload.priority);
    done.set_requestor(payload.requestor);
  }
  template <class Other>
  void add(const Other&) {}

  /// The reason is never empty, since people look here first.
  static std::string reason_of(const model::run_outcome& outcome) {
    if (!outcome.message.empty()) return outcome.message;
    if (outcome.signal != 0) return "killed by signal " + std::to_string(outcome.signal);
    if (!outcome.exit_code)
      return outcome.reason.empty() ? "it is not known how it ended" : outcome.reason;
    return "exit code " + std::to_string(*outcome.exit_code);
  }

  static void set_category(api::JobFailedEvent& failed, const ledger::failure_category& what) {
    failed.set_failure_category(std::string{what.category});
    failed.set_failure_subcategory(std::string{what.subcategory});
  }

  static api::Cause cause_of(const model::run_outcome& outcome) {
    if (outcome.reason == "OOMKilled") return api::OOM;
    if (outcome.reason == "DeadlineExceeded") return api::DeadlineExceeded;
    for (const auto* evicted :
         {model::reason_storage_exceeded, model::reason_evicted, model::reason_evicted_on_request})
      if (outcome.reason == evicted) return api::Evicted;
    return api::Error;
  }

  const model::event& event_;
  const model::job_header* header_;
  const model::run_record* run_;
  ulid job_;
  std::vector<api::EventMessage> out_;
  result<void> failed_;
};

}  // namespace

result<std::vector<api::EventMessage>> to_wire(const model::event& event,
                                               const model::job_header* header,
                                               const model::run_record* run) {
  return message_writer{event, header, run}.write();
}

namespace {

/// The event of a run's end; nothing while the run has not ended, or where the job's own end tells
/// it.
std::optional<model::event_payload> end_of(const model::run_key& key, const model::run_record& run,
                                           const model::job_record& job) {
  switch (run.state) {
    case model::run_state::succeeded:
      return model::run_succeeded{key, run.outcome};
    case model::run_state::failed:
      if (job.state != model::job_state::failed || &run != &job.runs.back())
        return model::run_retried{key, run.outcome, {}};
      return model::run_failed{key, run.outcome};
    case model::run_state::lease_returned:
      return model::lease_returned{key, run.outcome.message};
    case model::run_state::lease_expired:
      return model::lease_expired{key};
    case model::run_state::preempted:
      return model::job_preempted{key, job.preemptor, job.reason, job.requestor};
    case model::run_state::leased:
    case model::run_state::pending:
    case model::run_state::running:
    case model::run_state::cancelled:
      return {};
  }
  return {};
}

}  // namespace

std::vector<api::EventMessage> history(const model::job_record& job) {
  std::vector<api::EventMessage> out;
  auto header = *job.header;
  header.spec = nullptr;
  const auto shared = std::make_shared<const model::job_header>(header);
  const auto add = [&](std::int64_t time_ns, model::event_payload payload,
                       const model::run_record* run) {
    if (time_ns == 0) return;
    const model::event event{time_ns, header.queue, std::move(payload)};
    if (auto messages = to_wire(event, shared.get(), run))
      std::move(messages->begin(), messages->end(), std::back_inserter(out));
  };
  add(header.submitted_ns, model::job_submitted{shared}, nullptr);
  for (std::size_t i = 0; i < job.runs.size(); ++i) {
    const auto& run = job.runs[i];
    const model::run_key key{header.id, run.number};
    add(run.leased_ns,
        model::job_leased{key, run.cluster, run.node, run.pool, run.scheduled_at_priority,
                          run.round},
        &run);
    add(run.pending_ns, model::run_pending{key}, &run);
    add(run.started_ns, model::run_running{key}, &run);
    const auto told_ns = run.started_ns != 0 ? run.started_ns : run.pending_ns;
    add(told_ns, model::run_noted{key, {}, run.pod}, &run);
    auto end = end_of(key, run, job);
    if (!end) continue;
    const auto note = ledger::note_left_out(job, i);
    if (auto* back = std::get_if<model::lease_returned>(&*end); back != nullptr && !note.empty())
      back->reason += "; " + note;
    add(run.finished_ns, std::move(*end), &run);
  }
  if (job.state == model::job_state::cancelled)
    add(job.changed_ns, model::job_cancelled{header.id, job.requestor, job.reason}, nullptr);
  if (job.state == model::job_state::rejected)
    add(job.changed_ns, model::job_rejected{header.id, job.reason}, nullptr);
  return out;
}

}  // namespace argosy::codec
