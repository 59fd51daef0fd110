// SPDX-License-Identifier: Apache-2.0
// This file defines what an executor_core makes of what its backend tells: records of runs, and
// reports that wait for their acknowledgement.
#include <utility>

#include "runtime/ledger/agent/executor_core.hpp"

namespace argosy::ledger {

using model::run_key;

namespace {

/// A report of the run in its phase. The outcome is left to the caller.
model::run_report report_of(const model::run_event& event, const model::agent_run& run) {
  model::run_report out;
  out.run = event.run;
  out.queue = run.queue;
  out.phase = run.phase;
  out.time_ns = event.time_ns;
  out.note = event.note;
  out.pod = event.pod;
  out.trace = run.trace;
  return out;
}

}  // namespace

void executor_core::report_again(const run_key& run, const seen_run& seen, std::int64_t now_ns,
                                 executor_step& step) {
  model::run_report again;
  again.run = run;
  again.phase = seen.phase;
  again.time_ns = now_ns;
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
  if (event.phase <= run.phase) return take_note(event, run, step);
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
    const auto seen = seen_.find(key.job);
    if (seen != seen_.end() && seen->second.number == key.number) seen_.erase(seen);
    step.writes.emplace_back(erase_agent_run{key});
  }
}

}  // namespace argosy::ledger
