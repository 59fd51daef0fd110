// SPDX-License-Identifier: Apache-2.0
// This file defines what becomes of runs: what the executor's lists and events say of them, what
// the CLUSTER orders, and what follows for both.
#include <algorithm>
#include <utility>

#include "runtime/ledger/armada/armada_core.hpp"
#include "runtime/model/agent_run.hpp"

namespace argosy::ledger {

using model::run_phase;

/// From so many nodes on, a run that came back has its job avoid the node.
constexpr std::size_t avoiding_nodes_min = 5;

bool armada_core::is_over(const run& what) {
  return what.reported && model::is_final(*what.reported);
}

void armada_core::take_list() {
  unresolved_.clear();
  std::set<std::string> named;
  for (auto& [key, each] : runs_) each.listed = false;
  for (const auto& listed : open_->asked.runs) {
    named.insert(listed.id);
    if (const auto found = keys_.find(listed.id); found != keys_.end()) {
      auto& each = runs_.at(found->second);
      each.listed = each.known = true;
      each.begun = each.begun || listed.begun;
      each.node = listed.node;
    } else if (!ended_.contains(listed.id) && !foreign_.contains(listed.id)) {
      unresolved_.insert(listed.id);
    }
  }
  std::erase_if(foreign_, [&](const auto& id) { return !named.contains(id); });
}

/// Takes over what the list of the open request says of the run.
void armada_core::note_listed(run& what, const std::string& id) const {
  if (!open_) return;
  for (const auto& listed : open_->asked.runs) {
    if (listed.id != id) continue;
    what.listed = what.known = true;
    what.begun = listed.begun;
    what.node = listed.node;
  }
}

armada_core::run& armada_core::find(const model::run_key& key) {
  const auto [at, added] = runs_.try_emplace(key);
  if (!added) return at->second;
  auto id = config_.name_of(key);
  if (unresolved_.erase(id) > 0) note_listed(at->second, id);
  keys_.emplace(std::move(id), key);
  return at->second;
}

armada_core::effects armada_core::orders(const model::agent_orders& wanted) {
  effects out;
  if (wanted.incarnation != incarnation_) begin_life(wanted.incarnation, out);
  for (const auto& order : wanted.start)
    if (!ended_.contains(config_.name_of(order.run))) find(order.run).start = order;
  for (const auto& order : wanted.stop) {
    if (ended_.contains(config_.name_of(order.run))) continue;
    if (possible_.contains(order.run) && !runs_.contains(order.run))
      refused_.insert(order.run);
    else
      find(order.run).stopping = true;
  }
  return out;
}

/// Finds the runs behind ids that this process has not given: an earlier one may have, and the
/// CLUSTER has had all others stopped.
void armada_core::resolve() {
  if (!open_->told) return;
  for (const auto& id : std::exchange(unresolved_, {})) {
    std::optional<model::run_key> wanted;
    for (const auto& key : config_.runs_of(id))
      if (possible_.contains(key) && !refused_.contains(key)) wanted = key;
    if (!wanted) {
      foreign_.insert(id);
      ++foreign_runs_;
      continue;
    }
    note_listed(runs_[*wanted], id);
    keys_.emplace(id, *wanted);
  }
  possible_.clear();
  refused_.clear();
}

/// Reports what the list alone says of a run.
void armada_core::settle(const model::run_key& key, run& what) {
  if (what.listed) {
    what.absences = 0;
    if (!what.reported) report(key, what, run_phase::accepted, now_ns_);
    return;
  }
  ++what.absences;
  if (what.stopping) {
    report(key, what, what.known ? run_phase::stopped : run_phase::unknown, now_ns_);
  } else if (what.begun && what.absences >= config_.absences_max) {
    model::run_outcome lost;
    lost.reason = model::reason_lost;
    lost.message = "the executor of cluster '" + config_.cluster + "' has the run no more";
    report(key, what, run_phase::failed, now_ns_, std::move(lost));
  }
}

void armada_core::conclude(effects& out) {
  resolve();
  armada_answer answer;
  for (auto& [key, each] : runs_) {
    if (!is_over(each)) settle(key, each);
    const bool wanted = !each.stopping && !is_over(each);
    if (each.listed && !wanted) answer.cancel.push_back(config_.name_of(key));
    if (!each.listed && wanted && !each.begun && each.start &&
        answer.leases.size() < open_->asked.leases_max)
      answer.leases.push_back(*each.start);
  }
  for (const auto& listed : open_->asked.runs)
    if (foreign_.contains(listed.id) || ended_.contains(listed.id))
      answer.cancel.push_back(listed.id);
  leases_ += answer.leases.size();
  out.emplace_back(armada_reply{open_->number, std::move(answer)});
  open_.reset();
  ready_ = session_;
  forget_ended();
  flush(out);
}

/// What is over, and said to be, is remembered by its id alone: the executor may tell of it again.
void armada_core::forget_ended() {
  for (auto at = runs_.begin(); at != runs_.end();) {
    const auto& [key, each] = *at;
    if (!is_over(each) || each.listed || each.last_report > committed_) {
      ++at;
      continue;
    }
    const auto id = config_.name_of(key);
    remember(id);
    keys_.erase(id);
    at = runs_.erase(at);
  }
}

void armada_core::remember(const std::string& id) {
  if (!ended_.insert(id).second) return;
  ended_order_.push_back(id);
  if (ended_order_.size() <= config_.ended_max) return;
  ended_.erase(ended_order_.front());
  ended_order_.pop_front();
}

armada_core::taken armada_core::events(const std::vector<armada_event>& told) {
  if (!ready_)
    return {fail(ec::unavailable, "executor '" + config_.cluster +
                                      "' has to ask for leases first; it reports these events "
                                      "again by itself"),
            {}};
  taken out{std::uint64_t{0}, {}};
  for (const auto& event : told) *out.ticket = std::max(*out.ticket, take(event));
  if (*out.ticket <= committed_) *out.ticket = 0;
  flush(out.then);
  return out;
}

bool armada_core::knows(const model::run_key& key) const {
  return runs_.contains(key) || ended_.contains(config_.name_of(key));
}

armada_core::effects armada_core::unfit(const model::run_key& key, const std::string& why) {
  effects out;
  const auto found = runs_.find(key);
  if (found == runs_.end() || is_over(found->second)) return out;
  model::run_outcome outcome;
  outcome.reason = model::reason_unsupported;
  outcome.message = why;
  report(key, found->second, run_phase::refused, now_ns_, std::move(outcome));
  flush(out);
  return out;
}

/// Returns the sequence of the report that has to be committed before the event is answered.
std::uint64_t armada_core::take(const armada_event& told) {
  const auto found = told.run ? runs_.find(*told.run) : runs_.end();
  if (found == runs_.end()) {
    if (!told.run || !ended_.contains(config_.name_of(*told.run))) ++foreign_events_;
    return 0;
  }
  auto& [key, each] = *found;
  if (is_over(each)) return each.last_report;
  const bool is_news = told.phase && (!each.reported || *told.phase > *each.reported);
  auto pod = told.pod;
  if (pod.uid == each.pod.uid) pod.uid.clear();
  if (pod.addresses == each.pod.addresses) pod.addresses.clear();
  if (!is_news && pod.empty() && told.usage.empty()) return each.last_report;
  auto outcome = is_news ? told.outcome : model::run_outcome{};
  // Where there are few other nodes, the job would wait for ever rather than come back.
  if (outcome.reason == model::reason_refused_here && nodes_.size() < avoiding_nodes_min)
    outcome.reason = model::reason_cluster_refused;
  report(key, each, is_news ? *told.phase : each.reported.value_or(run_phase::accepted),
         told.time_ns, std::move(outcome), std::move(pod));
  outbox_.back().usage = told.usage;
  return each.last_report;
}

void armada_core::report(const model::run_key& key, run& what, run_phase phase,
                         std::int64_t time_ns, model::run_outcome outcome, model::pod_facts pod) {
  model::run_report out;
  out.sequence = ++last_sequence_;
  out.run = key;
  if (what.start) {
    out.queue = what.start->queue;
    out.trace = what.start->trace;
  }
  out.phase = phase;
  out.time_ns = time_ns;
  out.outcome = std::move(outcome);
  if (!pod.uid.empty()) what.pod.uid = pod.uid;
  if (!pod.addresses.empty()) what.pod.addresses = pod.addresses;
  out.pod = std::move(pod);
  what.reported = phase;
  what.begun = what.begun || phase == run_phase::running;
  what.last_report = out.sequence;
  outbox_.push_back(std::move(out));
}

void armada_core::flush(effects& out) {
  if (sending_ || !session_ || outbox_.empty()) return;
  sending_ = true;
  const auto size = static_cast<std::ptrdiff_t>(std::min(outbox_.size(), config_.batch_max));
  model::report_batch batch;
  batch.cluster = config_.cluster;
  batch.incarnation = incarnation_;
  batch.process = process_;
  batch.reports.assign(outbox_.begin(), outbox_.begin() + size);
  out.emplace_back(armada_reports{std::move(batch)});
}

/// What is not committed goes out again with the next request or events.
armada_core::effects armada_core::reports(model::incarnation incarnation,
                                          const result<model::report_ack>& answer) {
  effects out;
  if (incarnation != incarnation_) return out;
  sending_ = false;
  if (!answer) {
    out.emplace_back(armada_taken{
        last_sequence_, fail(ec::unavailable, "the events were not kept: " + answer.error().detail +
                                                  "; the executor reports them again by itself")});
    return out;
  }
  const bool news = answer->committed_sequence > committed_ && !outbox_.empty();
  committed_ = std::max(committed_, answer->committed_sequence);
  while (!outbox_.empty() && outbox_.front().sequence <= committed_) outbox_.pop_front();
  out.emplace_back(armada_taken{committed_, {}});
  forget_ended();
  if (news) flush(out);
  return out;
}

}  // namespace argosy::ledger
