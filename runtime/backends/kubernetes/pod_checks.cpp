// SPDX-License-Identifier: Apache-2.0
// The part of pod_runs that looks after pods which do not do as they should.
#include <set>
#include <utility>

#include "runtime/backends/kubernetes/pod_runs.hpp"
#include "runtime/model/affinity.hpp"

namespace argosy::backends {

namespace {

using model::run_phase;

}  // namespace

const node_state* pod_runs::node_of(const pod_run& run) const {
  return run.last && !run.last->node.empty() ? nodes_.find(run.last->node) : nullptr;
}

void pod_runs::look_after(const model::run_key& key, pod_run& run, std::int64_t wall_ns,
                          boot_time now, bool asked) {
  if (!run.there || !run.last || run.told_end) return run.watch.rest();
  if (run.watch.is_paused()) {
    run.watch.rest();
    if (away_)
      tell_wait(key, run, "server",
                away_->why + ". Nobody knows how the run is meanwhile; its pod goes on", wall_ns);
    return;
  }
  auto found = run.watch.check(*run.last, node_of(run), rules_.own, rules_.set.trouble, now);
  if (found.action < trouble_action::give_back)
    return tell_wait(key, run, found.kind, found.message, wall_ns);
  if (run.end) return;
  if (!asked) {
    if (!run.look) run.due = now;
    run.look = true;
    return run.watch.rest();
  }
  const bool fails = found.action == trouble_action::fail;
  begin_end(run,
            {fails ? run_phase::failed : run_phase::refused, found.reason, found.message, 1, true,
             run.last->version, false, found.category,
             found.is_missing ? model::outside_of(rules_.cluster) : model::affinity_terms{}},
            now);
}

void pod_runs::tell_wait(const model::run_key& key, pod_run& run, const std::string& kind,
                         const std::string& text, std::int64_t wall_ns) {
  // The end of a run that is being ended is news enough.
  if (run.told_end || (run.end && kind.empty())) return;
  if (const auto news = run.watch.tell(kind, text))
    step_.events.push_back({key, run.told, {}, note_text(*news, wall_ns), wall_ns});
}

void pod_runs::event_seen(pod_event event, std::int64_t wall_ns, boot_time now) {
  event.seen = now;
  const auto key = run_of_pod(event.pod);
  if (!key) return;
  auto* const found = runs_.find(*key);
  if (found == nullptr || found->name != event.pod || found->name_space != event.name_space) return;
  auto& run = *found;
  const bool is_other =
      run.last && !event.uid.empty() && !run.last->uid.empty() && run.last->uid != event.uid;
  if (is_other || !run.watch.add(std::move(event))) return;
  look_after(*key, run, wall_ns, now);
}

void pod_runs::nodes_told(const std::vector<std::string>& changed, boot_time now) {
  const std::set<std::string> nodes{changed.begin(), changed.end()};
  if (nodes.empty()) return;
  runs_.change(
      [&](const auto&, const auto& run) {
        return run.there && !run.told_end && run.last && nodes.contains(run.last->node);
      },
      [&](const auto&, auto& run) { run.watch.see_node(nodes_.find(run.last->node), now); });
}

void pod_runs::nodes_listed(const std::vector<nlohmann::json>& nodes, boot_time now) {
  nodes_told(nodes_.listed(nodes), now);
}

void pod_runs::node_changed(const nlohmann::json& node, boot_time now) {
  nodes_told(nodes_.changed(node), now);
}

void pod_runs::node_gone(const nlohmann::json& node, boot_time now) {
  nodes_told(nodes_.gone(node), now);
}

void pod_runs::classify(const pod_run& run, model::run_outcome& outcome) const {
  const auto* rule = find_rule(rules_.set.trouble.failure_rules, outcome,
                               run.last ? &*run.last : nullptr, run.watch.events().all());
  if (rule == nullptr) return;
  outcome.category = category_of(*rule);
  if (!rule->hint.empty()) outcome.message += (outcome.message.empty() ? "" : ". ") + rule->hint;
}

}  // namespace argosy::backends
