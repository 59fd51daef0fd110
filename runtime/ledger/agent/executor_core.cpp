// SPDX-License-Identifier: Apache-2.0
// The runs of an executor: what orders make of them, and what is recorded and reported of what
// their backend tells. Its talk with the control plane is in executor_session.cpp.
#include "runtime/ledger/agent/executor_core.hpp"
#include "runtime/base/planted.hpp"

#include <algorithm>
#include <utility>

namespace argosy::ledger {

using model::run_key;

namespace {

using model::run_phase;
using model::stop_cause;

constexpr const char* reason_no_lease = "NoLease";
constexpr const char* reason_stale = "StaleRun";
constexpr const char* reason_stopped = "Stopped";

/// A report of the run in its phase. The outcome is left to the caller.
model::run_report report_of(const model::run_event& event, const model::agent_run& run) {
  model::run_report out;
  out.run = event.run;
  out.queue = run.queue;
  out.phase = run.phase;
  out.time_ns = event.time_ns;
  out.note = event.note;
  out.pod = event.pod;
  out.name_space = run.name_space;
  out.trace = run.trace;
  return out;
}

}  // namespace

executor_core::executor_core(model::cluster_info cluster, std::vector<model::node_info> nodes,
                             executor_config config)
    : cluster_(std::move(cluster)),
      nodes_(std::move(nodes)),
      config_(config),
      heartbeat_(config.heartbeat),
      compare_(config.compare) {}

void executor_core::restore(const executor_facts& facts) {
  facts_ = facts;
  cluster_.incarnation = facts.incarnation;
}

void executor_core::restore(const model::run_report& report) {
  outbox_.insert_or_assign(report.sequence, report);
  if (is_final(report.phase)) restored_ends_.insert(report.run);
  facts_.next_sequence = std::max(facts_.next_sequence, report.sequence + 1);
}

void executor_core::restore(model::agent_run run, boot_time now) {
  note_seen(run);
  const auto key = run.run;
  const bool reported = restored_ends_.contains(key);
  if (is_final(run.phase) && !reported)
    remember(key, now);
  else
    runs_.insert_or_assign(key, std::move(run));
}

std::vector<model::recorded_run> executor_core::open_runs() const {
  std::vector<model::recorded_run> out;
  for (const auto& [key, run] : runs_)
    if (!is_final(run.phase)) out.emplace_back(run);
  return out;
}

const model::agent_run* executor_core::find(const run_key& run) const {
  const auto found = runs_.find(run);
  return found == runs_.end() ? nullptr : &found->second;
}

executor_step executor_core::adopted(const std::vector<model::run_event>& found) {
  executor_step step;
  for (const auto& event : found) {
    if (is_planted(planted_fault::drops_ends_on_return) && event.phase == run_phase::succeeded)
      continue;
    take(event, step);
  }
  if (config_.join_control_plane && !facts_.control_plane.empty()) {
    begin_anew(step);
    return step;
  }
  config_.join_control_plane = false;
  for (const auto& [key, run] : runs_)
    if (!is_final(run.phase) && run.stopping != stop_cause::none)
      step.actions.emplace_back(
          end_run{{key, run.stopping, "stopped before the agent was restarted", run.trace},
                  std::chrono::seconds{run.grace_seconds}});
  return step;
}

void executor_core::note_seen(const model::agent_run& run) {
  auto& seen = seen_[run.run.job];
  if (run.run.number < seen.number) return;
  seen = {run.run.number,     run.phase,          run.outcome.exit_code,
          run.outcome.signal, run.outcome.reason, run.name_space};
}

result<executor_step> executor_core::orders(const model::agent_orders& orders, std::int64_t now_ns,
                                            boot_time now) {
  // The orders may be here before the answer to the hello, which gives the incarnation.
  const bool first = facts_.incarnation.is_zero() && !orders.incarnation.is_zero();
  if (superseded_ || orders.process != cluster_.process ||
      (orders.incarnation != facts_.incarnation && !first))
    return fail(ec::conflict, "these orders are for incarnation " + to_string(orders.incarnation) +
                                  " of cluster '" + cluster_.name + "', this agent is " +
                                  to_string(facts_.incarnation));
  if (beginning_anew_) return fail(ec::unavailable, "the agent ends its runs and joins anew");
  const model::leadership leader{orders.epoch, orders.nonce, orders.control_plane};
  if (auto ok = check_leader(leader); !ok) return fail(ok.error());
  executor_step step;
  see_leader(leader, step);
  take_incarnation(orders.incarnation, step);
  for (const auto& order : orders.stop) stop(order, now_ns, step);
  const auto overtaken = orders.hello_ns != 0 && orders.hello_ns != hello_ns_;
  for (const auto& order : orders.start) {
    // Under the lease of a later hello the job may run elsewhere since. A run that is still wanted
    // is ordered again in answer to that hello.
    if (overtaken && now < lease_) continue;
    start(order, false, now_ns, now, step);
    if (overtaken) refuse_held(order.run, now, step);
  }
  if (!overtaken)
    for (const auto& order : orders.find) start(order, true, now_ns, now, step);
  return step;
}

void executor_core::start(const model::start_run& order, bool find, std::int64_t now_ns,
                          boot_time now, executor_step& step) {
  const auto seen = seen_.find(order.run.job);
  // The agent has taken a copy for the run, and nothing that it knows of the copy counts.
  const bool is_copied = find && seen != seen_.end() && order.run.number == seen->second.number &&
                         model::is_elsewhere(seen->second.name_space, order.name_space);
  if (is_copied) {
    runs_.erase(order.run);
    notes_.erase(order.run);
  }
  if (runs_.contains(order.run)) return;
  if (!is_copied && seen != seen_.end() && order.run.number <= seen->second.number &&
      !is_planted(planted_fault::starts_runs_again)) {
    if (order.run.number == seen->second.number) {
      report_again(order.run, seen->second, now_ns, step);
      return;
    }
    model::run_report refused;
    refused.run = order.run;
    refused.queue = order.queue;
    refused.phase = run_phase::refused;
    refused.time_ns = now_ns;
    refused.outcome.reason = reason_stale;
    refused.outcome.message =
        "the agent has seen run " + std::to_string(seen->second.number) + " of the job";
    refused.trace = order.trace;
    report(std::move(refused), step);
    return;
  }
  // Nothing is reported: the order may be for an agent with a copy of this store, which runs it.
  if (!find && std::ranges::find(nodes_, order.node, &model::node_info::name) == nodes_.end()) {
    step.actions.emplace_back(warn_of_order{order.run, "the agent of cluster '" + cluster_.name +
                                                           "' has no node '" + order.node + "'"});
    return;
  }
  model::agent_run run;
  run.run = order.run;
  run.queue = order.queue;
  run.job_set = order.job_set;
  run.node = order.node;
  run.name_space = order.name_space;
  run.requests = order.requests;
  run.trace = order.trace;
  run.grace_seconds = order.grace_seconds;
  run.deadline_seconds = order.deadline_seconds;
  // Whoever has lost it again must not say that it never began.
  if (find) run.phase = run_phase::pending;
  note_seen(run);
  step.writes.emplace_back(put_agent_run{run});
  if (find || now < lease_)
    step.actions.emplace_back(launch_run{order, find});
  else
    held_.emplace(order.run, held_run{order, now_ns, now});
  runs_.emplace(order.run, std::move(run));
}

void executor_core::begin_held(boot_time now, executor_step& step) {
  if (now >= lease_) return;
  for (auto& [key, held] : held_) step.actions.emplace_back(launch_run{std::move(held.order)});
  held_.clear();
}

void executor_core::refuse_held(const run_key& key, boot_time now, executor_step& step) {
  const auto found = held_.find(key);
  if (found == held_.end()) return;
  model::run_event refused;
  refused.run = key;
  refused.phase = run_phase::refused;
  refused.time_ns = found->second.came_ns + (now - found->second.came_at).count();
  refused.outcome.reason = reason_no_lease;
  refused.outcome.message = "the agent was given no lease to start the run under";
  held_.erase(found);
  take(refused, step);
}

void executor_core::refuse_held(boot_time now, executor_step& step) {
  while (!held_.empty()) refuse_held(run_key{held_.begin()->first}, now, step);
}

executor_step executor_core::refuse_held(boot_time now) {
  executor_step step;
  refuse_held(now, step);
  send_outbox(now, step);
  return step;
}

void executor_core::stop(const model::stop_run& order, std::int64_t now_ns, executor_step& step) {
  const auto found = runs_.find(order.run);
  if (found != runs_.end()) {
    auto& run = found->second;
    if (is_final(run.phase)) return;
    if (run.stopping == stop_cause::none) {
      run.stopping = order.cause;
      step.writes.emplace_back(put_agent_run{run});
    }
    if (held_.erase(order.run) > 0) {
      model::run_event ended;
      ended.run = order.run;
      ended.phase = run_phase::stopped;
      ended.outcome.reason = reason_stopped;
      ended.outcome.message = order.reason;
      ended.time_ns = now_ns;
      take(ended, step);
      return;
    }
    step.actions.emplace_back(end_run{order, std::chrono::seconds{run.grace_seconds}});
    return;
  }
  const auto seen = seen_.find(order.run.job);
  if (seen != seen_.end() && seen->second.number == order.run.number) {
    report_again(order.run, seen->second, now_ns, step);
    return;
  }
  // The run's start may still be under way; when it arrives, it must find the number used.
  model::agent_run run;
  run.run = order.run;
  run.phase = run_phase::unknown;
  run.trace = order.trace;
  const bool newest = seen == seen_.end() || seen->second.number < order.run.number;
  if (newest) {
    note_seen(run);
    step.writes.emplace_back(put_agent_run{run});
    runs_.emplace(order.run, run);
  }
  model::run_report unknown;
  unknown.run = order.run;
  unknown.phase = run_phase::unknown;
  unknown.time_ns = now_ns;
  unknown.trace = order.trace;
  report(std::move(unknown), step);
}

void executor_core::report_again(const run_key& run, const seen_run& seen, std::int64_t now_ns,
                                 executor_step& step) {
  model::run_report again;
  again.run = run;
  again.phase = seen.phase;
  again.time_ns = now_ns;
  again.name_space = seen.name_space;
  again.outcome = {seen.exit_code, seen.signal, seen.reason,
                   "the run has ended before and is not started again"};
  report(std::move(again), step);
}

void executor_core::report(model::run_report report, executor_step& step) {
  report.sequence = facts_.next_sequence++;
  step.writes.emplace_back(put_outbox_report{report});
  save_facts(step);
  outbox_.emplace(report.sequence, std::move(report));
}

void executor_core::save_facts(executor_step& step) const {
  for (auto& write : step.writes)
    if (auto* put = std::get_if<put_facts>(&write)) {
      put->facts = facts_;
      return;
    }
  step.writes.emplace_back(put_facts{facts_});
}

void executor_core::take(const model::run_event& event, executor_step& step) {
  const auto found = runs_.find(event.run);
  if (found == runs_.end()) return;
  auto& run = found->second;
  if (is_final(run.phase)) return;
  const bool names_pod = run.pod_uid.empty() && !event.pod.uid.empty();
  if (names_pod) run.pod_uid = event.pod.uid;
  if (event.phase <= run.phase) {
    if (names_pod) step.writes.emplace_back(put_agent_run{run});
    return take_note(event, run, step);
  }
  run.phase = event.phase;
  if (event.phase == model::run_phase::running) run.started_ns = event.time_ns;
  if (is_final(event.phase)) {
    run.outcome = event.outcome;
    notes_.erase(event.run);
  }
  note_seen(run);
  step.writes.emplace_back(put_agent_run{run});
  auto out = report_of(event, run);
  out.outcome = event.outcome;
  report(std::move(out), step);
}

/// What a run waits for is reported while it waits. It is not kept with the run, so that an agent
/// that begins anew may say it again.
void executor_core::take_note(const model::run_event& event, const model::agent_run& run,
                              executor_step& step) {
  if (event.note.empty() && event.pod.empty()) return;
  auto& told = notes_[event.run];
  const bool has_note = !event.note.empty() && event.note != told.last;
  const bool has_pod = !event.pod.empty() && event.pod != told.pod;
  if (told.count >= config_.notes_max || !(has_note || has_pod)) return;
  ++told.count;
  if (has_note) told.last = event.note;
  if (has_pod) told.pod = event.pod;
  report(report_of(event, run), step);
}

executor_step executor_core::changed(const std::vector<model::run_event>& events, boot_time now) {
  executor_step step;
  for (const auto& event : events) take(event, step);
  if (beginning_anew_) end_old_life(step);
  send_outbox(now, step);
  return step;
}

void executor_core::set_nodes(std::vector<model::node_info> nodes) {
  nodes_ = std::move(nodes);
  compare_due_ = boot_time{};
  speak_due_ = quiet_until_;
}

void executor_core::set_trouble(model::backend_trouble trouble) {
  if (trouble == trouble_) return;
  trouble_ = std::move(trouble);
  compare_due_ = boot_time{};
  speak_due_ = quiet_until_;
}

void executor_core::forget_old(boot_time now, executor_step& step) {
  while (!remembered_.empty() && (remembered_.size() > config_.remember_max ||
                                  now - remembered_.front().first >= config_.remember)) {
    const auto key = remembered_.front().second;
    remembered_.pop_front();
    if (runs_.contains(key)) continue;  // The entry is that of a copy.
    const auto seen = seen_.find(key.job);
    if (seen != seen_.end() && seen->second.number == key.number) seen_.erase(seen);
    step.writes.emplace_back(erase_agent_run{key});
  }
}

}  // namespace argosy::ledger
