// SPDX-License-Identifier: Apache-2.0
// This file defines what a cluster_core makes of its agent's reports: which of them are news, to
// which QUEUE each goes, and when a batch of them is answered.
#include <algorithm>
#include <string_view>
#include <utility>

#include "runtime/base/planted.hpp"
#include "runtime/base/text.hpp"
#include "runtime/ledger/cluster/cluster_core.hpp"
#include "runtime/ledger/cluster/node_changes.hpp"
#include "runtime/ledger/retry/retry_shape.hpp"
#include "runtime/ledger/retry/return_causes.hpp"
#include "runtime/model/affinity.hpp"
#include "runtime/model/agent_run.hpp"
#include "runtime/model/namespace_part.hpp"

namespace argosy::ledger {

namespace {

/// The longest text about a run that is taken from an agent, in bytes.
constexpr std::size_t report_text_max = 1024;

/// Whether only an agent that was given the run can report this phase.
bool has_record(model::run_phase phase) {
  return phase != model::run_phase::unknown && phase != model::run_phase::refused;
}

/// Whether a run in this phase has begun for certain; one that failed may not have.
bool has_begun(model::run_phase phase) {
  return phase == model::run_phase::running || phase == model::run_phase::succeeded;
}

/// Cuts the text between two characters, since bytes that are not UTF-8 cannot be stored.
void cut(std::string& text) {
  if (text.size() <= report_text_max) return;
  constexpr std::string_view dots = "...";
  text.resize(cut_to_size(text, report_text_max - dots.size()).size());
  text += dots;
}

/// So many addresses of a pod and resources that it used are told of, at most.
constexpr std::size_t pod_entries_max = 64;

template <class List>
void cut_list(List& list, std::size_t most) {
  if (list.size() > most) list.resize(most);
}

/// Whatever an agent sends is kept, so that it has a bound.
void cut(model::run_report& report) {
  auto& outcome = report.outcome;
  for (auto* text :
       {&report.note, &outcome.reason, &outcome.message, &outcome.category, &report.pod.uid})
    cut(*text);
  cut_list(outcome.containers, model::container_ends_max);
  if (!model::is_short(outcome.reach)) outcome.reach.clear();
  for (auto& each : outcome.containers)
    for (auto* text : {&each.name, &each.reason, &each.message}) cut(*text);
  cut_list(report.pod.addresses, pod_entries_max);
  for (auto& [port, address] : report.pod.addresses) cut(address);
  for (auto* list : {&report.usage.peak, &report.usage.average, &report.usage.total}) {
    cut_list(*list, pod_entries_max);
    for (auto& [name, quantity] : *list) {
      cut(name);
      cut(quantity);
    }
  }
}

/// A run that is larger than a quota, that a policy refuses, or for which something is missing in
/// its cluster, may be taken where other clusters serve its namespace.
void send_elsewhere(model::run_report& report, const namespace_servers& servers,
                    const std::string& name_space) {
  auto& outcome = report.outcome;
  const bool is_missing = model::is_outside(outcome.reach);
  if (!is_missing && !is_refusal_of_run(report)) return;
  if (is_missing) outcome.reach.clear();
  const auto others = servers ? servers(name_space) : std::vector<model::cluster_name>{};
  auto reach = in_clusters(others);
  if (others.empty() || !model::is_short(reach)) return;
  if (report.phase == model::run_phase::refused) outcome.reason = model::reason_refused_here;
  outcome.reach = std::move(reach);
}

}  // namespace

/// Takes back the runs that the agent has after all. What it has in another namespace than that of
/// the job is none of ours, so that it is told to look for the run.
void cluster_core::adopt(const std::vector<model::known_run>& runs) {
  if (lapsing_.empty()) return;
  for (const auto& run : runs) {
    const auto found = runs_.find(run.run);
    if (found == runs_.end() || !has_record(run.phase)) continue;
    if (!model::is_elsewhere(run.name_space, found->second.desired.start.name_space))
      lapsing_.erase(run.run);
  }
}

bool cluster_core::take_report(const model::run_report& report, boot_time now,
                               effect_list& effects) {
  auto& run = runs_.at(report.run);
  if (has_begun(report.phase) && !refusing_.empty() && refusing_.erase(run.desired.start.node) > 0)
    effects.emplace_back(node_starts_runs{run.desired.start.node});
  run.sent = true;
  run.desired.reported = true;
  held_.erase(report.run);
  if (model::is_final(report.phase)) run.finished = true;
  const bool holds = judge_namespace(run, report, now, effects);
  if (!unconfirmed(run)) unconfirmed_.erase(report.run);
  return holds;
}

cluster_answer<std::uint64_t> cluster_core::reports(const model::report_batch& batch,
                                                    boot_time now) {
  cluster_answer<std::uint64_t> out;
  if (auto ok = check_session(batch.cluster, batch.incarnation, batch.process); !ok) {
    out.reply = fail(std::move(ok.error()));
    return out;
  }
  heard(now, out.effects);
  report_map forwarded;
  std::uint64_t last = 0;
  for (const auto& report : batch.reports) {
    if (report.sequence == 0) continue;
    const auto place = reports_.take(report.sequence);
    if (place == report_place::behind_a_gap) break;
    last = report.sequence;
    if (place == report_place::taken_before) continue;
    if (is_planted(planted_fault::drops_reports) && report.sequence % 40 == 7) {
      reports_.forwarded(report.sequence);
      reports_.commit({report.sequence});
      continue;
    }
    const auto found = runs_.find(report.run);
    // An agent reports on what was leased to it; anything else is answered and goes no further.
    if (found == runs_.end()) continue;
    if (model::is_elsewhere(report.name_space, found->second.desired.start.name_space)) continue;
    // An agent does not speak for runs that only an older incarnation was given.
    if (lapsing_.contains(report.run) && !has_record(report.phase)) continue;
    lapsing_.erase(report.run);
    const bool category_holds = take_report(report, now, out.effects);
    reports_.forwarded(report.sequence);
    auto& copy = forwarded[found->second.desired.start.queue].emplace_back(report);
    copy.queue = found->second.desired.start.queue;
    if (!category_holds) copy.outcome.category.clear();
    send_elsewhere(copy, config_.other_servers, found->second.desired.start.name_space);
    if (copy.outcome.reason == model::reason_refused_here && copy.outcome.reach.empty() &&
        !others_would_do(nodes_, found->second.desired.start))
      copy.outcome.reason = model::reason_cluster_refused;
    cut(copy);
  }
  const auto ticket = std::min(last, reports_.received());
  emit(std::move(forwarded), out.effects);
  release_held(now, out.effects);
  give_back_shut(out.effects);
  if (reports_.committed() >= ticket)
    out.effects.emplace_back(acknowledge{{reports_.acknowledge()}});
  out.reply = ticket;
  return out;
}

cluster_step cluster_core::committed(model::incarnation incarnation,
                                     const std::vector<std::uint64_t>& sequences) {
  cluster_step step;
  if (incarnation != hello_.incarnation) return step;
  reports_.commit(sequences);
  if (reports_.has_news()) step.effects.emplace_back(acknowledge{{reports_.acknowledge()}});
  return step;
}

void cluster_core::not_committed(model::incarnation incarnation,
                                 const std::vector<std::uint64_t>& sequences) {
  if (incarnation != hello_.incarnation) return;
  reports_.lose(sequences);
}

std::uint64_t cluster_core::committed_sequence() const noexcept {
  return reports_.committed();
}

}  // namespace argosy::ledger
