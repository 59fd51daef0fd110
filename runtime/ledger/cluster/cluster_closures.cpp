// SPDX-License-Identifier: Apache-2.0
// What a cluster refuses: namespaces that are shut for a while, and jobs that one node does not
// suit.
#include <algorithm>
#include <utility>

#include "runtime/ledger/cluster/cluster_core.hpp"
#include "runtime/ledger/cluster/node_changes.hpp"
#include "runtime/model/agent_run.hpp"
#include "runtime/model/served_namespaces.hpp"

namespace argosy::ledger {

namespace {

bool is_taken(model::run_phase phase) {
  return phase == model::run_phase::pending || phase == model::run_phase::running ||
         phase == model::run_phase::succeeded;
}

}  // namespace

/// The value of the taint by which nodes tell of namespaces, if the agent serves these.
std::string cluster_core::namespaces_value(const std::vector<std::string>& served) const {
  model::namespace_limits limits{served, closures_.shut(), {}};
  for (const auto& [name, runs] : closures_.tried())
    limits.tried.push_back({info_.name, name, runs, closures_.may_preempt(name)});
  return model::to_taint_value(limits);
}

model::node_info cluster_core::seen(model::node_info node) const {
  return with_namespaces(cordons_.seen(std::move(node)), namespaces_value(info_.namespaces));
}

void cluster_core::tell_all_nodes(effect_list& effects) const {
  set_nodes all;
  const auto value = namespaces_value(info_.namespaces);
  for (const auto& [name, node] : nodes_)
    all.nodes.push_back(with_namespaces(cordons_.seen(node), value));
  if (!all.nodes.empty()) effects.emplace_back(std::move(all));
}

bool cluster_core::judge_namespace(const tracked& run, const model::run_report& report,
                                   boot_time now, effect_list& effects) {
  const auto& start = run.desired.start;
  if (is_refused_to_all(report)) {
    const auto done = close_for(closures_, start, report, now);
    if (done == closing::shut) tell_all_nodes(effects);
    return done != closing::no_room;
  } else if (is_taken(report.phase)) {
    if (note_taken(closures_, start, now)) tell_all_nodes(effects);
  } else if (model::is_final(report.phase)) {
    closures_.over(report.run);
  }
  return true;
}

/// Their agent never hears of them.
void cluster_core::give_back_shut(effect_list& effects) {
  if (held_.empty()) return;
  const auto all = closures_.all();
  report_map given_back;
  const std::vector<model::run_key> waiting(held_.begin(), held_.end());
  for (const auto& key : waiting) {
    auto& run = runs_.at(key);
    const auto& start = run.desired.start;
    if (run.sent || entrance_of(closures_, start) != entrance::shut) continue;
    const auto parts = parts_of(start);
    const auto why = std::ranges::find_if(all, [&](const closure& each) {
      return !each.tried && std::ranges::find(parts, each.name_space) != parts.end();
    });
    if (why == all.end()) continue;
    disown(key, run, given_back);
    auto& report = given_back[start.queue].back();
    report.phase = model::run_phase::refused;
    report.outcome.reason = model::reason_cluster_refused;
    report.outcome.category = why->kind;
    report.outcome.message = why->why;
  }
  emit(std::move(given_back), effects);
}

}  // namespace argosy::ledger
