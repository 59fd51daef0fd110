// SPDX-License-Identifier: Apache-2.0
// The executor's talk with the control plane: hello, heartbeats, the lease, and the outbox.
#include <algorithm>
#include <utility>

#include "runtime/base/planted.hpp"
#include "runtime/ledger/agent/executor_core.hpp"

namespace argosy::ledger {

result<void> executor_core::check_leader(const model::leadership& leader) const {
  const auto other = [](model::claim_nonce ours, model::claim_nonce theirs) {
    return !ours.is_zero() && !theirs.is_zero() && ours != theirs;
  };
  if (!facts_.control_plane.empty() && leader.control_plane != facts_.control_plane)
    return fail(ec::denied, "the agent of cluster '" + cluster_.name +
                                "' belongs to another control plane (" + facts_.control_plane +
                                ", this one is " + leader.control_plane + ")");
  if (model::is_implausible_epoch(leader.epoch, facts_.epoch_seen))
    return fail(ec::denied, "epoch " + to_string(leader.epoch) +
                                " cannot be, since the agent has seen " +
                                to_string(facts_.epoch_seen));
  if (leader.epoch < facts_.epoch_seen)
    return fail(ec::fenced, "epoch " + to_string(leader.epoch) +
                                " is over, since the agent has seen " +
                                to_string(facts_.epoch_seen));
  if (leader.epoch == facts_.epoch_seen && other(facts_.nonce_seen, leader.nonce))
    return fail(ec::fenced, "epoch " + to_string(leader.epoch) +
                                " belongs to another process, which claimed it before");
  return {};
}

void executor_core::see_leader(const model::leadership& leader, executor_step& step) {
  const auto before = facts_;
  facts_.epoch_seen = leader.epoch;
  if (!leader.nonce.is_zero()) facts_.nonce_seen = leader.nonce;
  facts_.control_plane = leader.control_plane;
  if (facts_ != before) save_facts(step);
}

executor_step executor_core::inherit(model::inherited_runs left) {
  executor_step step;
  if (facts_.control_plane.empty() && !left.control_plane.empty()) {
    facts_.control_plane = left.control_plane;
    save_facts(step);
  }
  if (left.whole) whole_for_ = left.control_plane;
  for (auto& run : left.runs) {
    note_seen(run);
    step.writes.emplace_back(put_agent_run{run});
    const auto key = run.run;
    runs_.try_emplace(key, std::move(run));
  }
  return step;
}

void executor_core::take_incarnation(model::incarnation given, executor_step& step) {
  if (!facts_.incarnation.is_zero() || given.is_zero()) return;
  facts_.incarnation = cluster_.incarnation = given;
  save_facts(step);
}

/// Nobody will hear of the runs that are here: their control plane has given them up, or the agent
/// leaves it. They end before anything new can be started.
void executor_core::begin_anew(executor_step& step) {
  if (std::exchange(beginning_anew_, true)) return;
  session_ = false;
  std::size_t live = 0;
  for (auto& [key, run] : runs_) {
    if (model::is_final(run.phase)) continue;
    ++live;
    run.stopping = model::stop_cause::cancel;
    step.writes.emplace_back(put_agent_run{run});
    step.actions.emplace_back(end_run{
        {key, run.stopping, "the control plane does not count on this agent's runs", run.trace},
        std::chrono::seconds{run.grace_seconds}});
  }
  step.actions.emplace_back(tell_of_new_life{live});
  end_old_life(step);
}

/// Forgets what the agent was once none of its runs is left. Run numbers stay remembered.
void executor_core::end_old_life(executor_step& step) {
  if (!open_runs().empty()) return;
  for (const auto& [key, run] : runs_) {
    step.writes.emplace_back(erase_agent_run{key});
    step.actions.emplace_back(forget_run{key});
  }
  runs_.clear();
  if (!outbox_.empty()) step.writes.emplace_back(erase_outbox_reports{outbox_.rbegin()->first});
  outbox_.clear();
  facts_.incarnation = cluster_.incarnation = {};
  if (std::exchange(config_.join_control_plane, false)) {
    facts_.control_plane.clear();
    facts_.epoch_seen = {};
    facts_.nonce_seen = {};
  }
  save_facts(step);
  beginning_anew_ = reporting_ = false;
  speak_due_ = {};
}

void executor_core::extend_lease(boot_time sent_at, std::int64_t lease_ns,
                                 std::int64_t kill_grace_ns, executor_step& step) {
  const auto until = sent_at + boot_time{lease_ns};
  if (until <= lease_) return;
  lease_ = until;
  step.actions.emplace_back(
      renew_lease{{until, boot_time{kill_grace_ns}, wall_ahead_, heartbeat_}});
}

executor_step executor_core::hello_acknowledged(const model::hello_ack& ack, boot_time now) {
  executor_step step;
  speaking_ = false;
  if (superseded_) return step;
  // A leader that was deposed may still answer; what it grants is void.
  const model::leadership leader{ack.epoch, ack.nonce, ack.control_plane};
  if (const auto ok = check_leader(leader); !ok) {
    session_ = false;
    hello_failed(now);
    step.actions.emplace_back(warn_of_leader{ok.error().detail});
    return step;
  }
  see_leader(leader, step);
  if (ack.begin_anew) {
    begin_anew(step);
    return step;
  }
  take_incarnation(ack.incarnation, step);
  if (alone_at_ == boot_time::max())  // Twice, since clocks differ and the lease was longer once.
    alone_at_ = spoke_at_ + 2 * boot_time{ack.lease_ns} + boot_time{ack.kill_grace_ns};
  if (!session_) reporting_ = false;  // Whoever had the last reports may be no more.
  session_ = true;
  config_.take_over = false;
  if (ack.heartbeat_ns > 0) heartbeat_ = boot_time{ack.heartbeat_ns};
  speak_due_ = spoke_at_ + heartbeat_;
  compare_ = ack.compare_ns > 0 ? boot_time{ack.compare_ns} : config_.compare;
  compare_due_ = spoke_at_ + compare_;
  extend_lease(spoke_at_, ack.lease_ns, ack.kill_grace_ns, step);
  begin_held(now, step);
  report_due_ = now;
  send_outbox(now, step);
  return step;
}

executor_step executor_core::heartbeat_acknowledged(const model::heartbeat_ack& ack,
                                                    boot_time now) {
  executor_step step;
  speaking_ = false;
  if (superseded_) return step;
  const model::leadership leader{ack.epoch, ack.nonce, ack.control_plane};
  if (const auto ok = check_leader(leader); !ok) {
    heartbeat_failed(now);
    step.actions.emplace_back(warn_of_leader{ok.error().detail});
    return step;
  }
  see_leader(leader, step);
  if (ack.hello_wanted) {
    session_ = false;
    speak_due_ = now;
    return step;
  }
  speak_due_ = spoke_at_ + heartbeat_;
  extend_lease(spoke_at_, ack.lease_ns, ack.kill_grace_ns, step);
  return step;
}

void executor_core::hello_failed(boot_time now, boot_time pause) {
  speaking_ = false;
  compare_due_ = now + std::max(compare_, pause);
  speak_due_ = now + (session_ ? config_.retry : std::max(config_.retry, pause));
}

void executor_core::heartbeat_failed(boot_time now) {
  speaking_ = false;
  if (is_planted(planted_fault::says_hello_once)) {
    speak_due_ = now + std::chrono::hours{100};
    return;
  }
  session_ = false;
  speak_due_ = now + config_.retry;
}

void executor_core::remember(const model::run_key& run, boot_time now) {
  remembered_.emplace_back(now, run);
}

executor_step executor_core::reports_acknowledged(std::uint64_t number,
                                                  const model::report_ack& ack, boot_time now) {
  executor_step step;
  bool any = false;
  while (!outbox_.empty() && outbox_.begin()->first <= ack.committed_sequence) {
    const auto report = std::move(outbox_.begin()->second);
    outbox_.erase(outbox_.begin());
    any = true;
    const auto run = runs_.find(report.run);
    if (!is_final(report.phase) || run == runs_.end() || !is_final(run->second.phase)) continue;
    runs_.erase(run);
    remember(report.run, now);
    step.actions.emplace_back(forget_run{report.run});
  }
  if (any) {
    step.writes.emplace_back(erase_outbox_reports{ack.committed_sequence});
    save_facts(step);
  }
  reporting_ = reporting_ && number != last_report_;
  // If it removed nothing from the outbox, sending again at once would never end.
  if (number == last_report_) report_due_ = any ? now : now + config_.retry;
  forget_old(now, step);
  send_outbox(now, step);
  return step;
}

void executor_core::reports_failed(std::uint64_t number, bool session_over, boot_time now) {
  if (number != last_report_) return;
  reporting_ = false;
  report_due_ = now + config_.retry;
  if (!session_over || !session_) return;
  session_ = false;
  if (!speaking_) speak_due_ = now;
}

executor_step executor_core::superseded(boot_time now) {
  executor_step step;
  superseded_ = true;
  session_ = false;
  refuse_held(now, step);
  return step;
}

boot_time executor_core::outbox_due() const {
  if (outbox_.size() >= config_.reports_per_batch) return report_due_;
  return std::max(report_due_, tokens_full_at_ - config_.report_step * (config_.report_burst - 1));
}

void executor_core::gather_no_more() {
  config_.report_step = {};
  tokens_full_at_ = {};
}

void executor_core::send_outbox(boot_time now, executor_step& step) {
  if (!session_ || reporting_ || outbox_.empty() || now < outbox_due()) return;
  reporting_ = true;
  // Full batches do not wait, and may not make the next one wait longer than a step either.
  tokens_full_at_ = std::min(std::max(tokens_full_at_, now) + config_.report_step,
                             now + config_.report_step * config_.report_burst);
  model::report_batch batch;
  batch.cluster = cluster_.name;
  batch.incarnation = facts_.incarnation;
  batch.process = cluster_.process;
  for (const auto& [sequence, report] : outbox_) {
    if (batch.reports.size() >= config_.reports_per_batch) break;
    batch.reports.push_back(report);
  }
  step.actions.emplace_back(send_reports{std::move(batch), ++last_report_});
}

model::agent_hello executor_core::make_hello() const {
  model::agent_hello out;
  out.cluster = cluster_;
  out.epoch_seen = facts_.epoch_seen;
  out.nonce_seen = facts_.nonce_seen;
  out.control_plane = facts_.control_plane;
  out.said_ns = hello_ns_;
  out.take_over = config_.take_over;
  out.version = config_.version;
  out.trouble = trouble_;
  out.lapse = config_.lapse;
  out.finds = cluster_.traits().outlives_agent;
  const bool is_alone = config_.acts_alone || boot_time{hello_ns_} >= alone_at_;
  out.all_runs = is_alone && trouble_.why.empty() && !has_strangers_ && whole_for_ &&
                 (whole_for_->empty() || *whole_for_ == facts_.control_plane);
  out.nodes = nodes_;
  out.runs.reserve(runs_.size());
  for (const auto& [key, run] : runs_)
    if (run.phase != model::run_phase::unknown)  // An unknown run was never here.
      out.runs.push_back({key, run.queue, run.phase, run.node, run.name_space});
  return out;
}

executor_step executor_core::tick(boot_time now, boot_time wall_ahead) {
  executor_step step;
  forget_old(now, step);
  send_outbox(now, step);
  if (superseded_ || beginning_anew_ || speaking_ || now < speak_due_) return step;
  speaking_ = true;
  spoke_at_ = now;
  wall_ahead_ = wall_ahead;
  if (is_planted(planted_fault::trusts_silence) && lease_ > now)
    extend_lease(now, std::chrono::nanoseconds{std::chrono::seconds{40}}.count(),
                 std::chrono::nanoseconds{std::chrono::seconds{5}}.count(), step);
  if (session_ && now < compare_due_ && held_.empty()) {
    step.actions.emplace_back(
        send_heartbeat{{cluster_.name, facts_.incarnation, cluster_.process, now.count()}});
    return step;
  }
  if (std::exchange(said_hello_, true)) refuse_held(now, step);
  hello_ns_ = now.count();
  step.actions.emplace_back(send_hello{make_hello()});
  return step;
}

boot_time executor_core::next_due() const {
  auto due = boot_time::max();
  if (!speaking_ && !superseded_ && !beginning_anew_) due = std::min(due, speak_due_);
  if (session_ && !reporting_ && !outbox_.empty()) due = std::min(due, outbox_due());
  if (!remembered_.empty()) due = std::min(due, remembered_.front().first + config_.remember);
  return due;
}

}  // namespace argosy::ledger
