// SPDX-License-Identifier: Apache-2.0
#include "runtime/ledger/health/health_core.hpp"

#include <algorithm>
#include <utility>

namespace argosy::ledger {

using kind = model::carried_entry::kind;

health_core::health_core(health_config config)
    : config_(config), machine_(config.memory.count()), results_(config.memory.count()) {}

void health_core::ended(run_outcome outcome) {
  if (outcome.verdict != run_verdict::in_order) waiting_.push_back(std::move(outcome));
}

std::set<std::string> health_core::settle() {
  take_waiting();
  return std::exchange(touched_, {});
}

void health_core::take_waiting() {
  auto taken = std::exchange(waiting_, {});
  // Batches of several queues arrive in any order; those of one batch keep theirs.
  std::ranges::stable_sort(taken, {}, &run_outcome::position);
  std::set<std::pair<model::log_position, std::string>> losses;
  for (const auto& outcome : taken) {
    // What is lost at once, for example by a power cut, is one failure.
    if (outcome.verdict == run_verdict::lost &&
        !losses.emplace(outcome.position, outcome.node).second)
      continue;
    if (is_from_before_release(outcome)) continue;
    take(outcome);
    touched_.insert(outcome.node);
  }
}

bool health_core::is_from_before_release(const run_outcome& outcome) const {
  const auto found = released_.find(outcome.node);
  return found != released_.end() && outcome.time_ns <= found->second;
}

void health_core::take(const run_outcome& outcome) {
  const bool machine_failed =
      outcome.verdict == run_verdict::lost || outcome.verdict == run_verdict::refused;
  auto& notes = notes_[outcome.node];
  if (machine_failed) notes.last_failure = outcome.why;
  changed_nodes_.insert(outcome.node);
  // A start that the node itself refused is not a matter of the queue.
  if (outcome.verdict == run_verdict::refused) {
    machine_.node_failed(outcome.node, outcome.time_ns);
    return;
  }
  machine_.ended(outcome.node, outcome.queue, !machine_failed, outcome.time_ns);
  if (!machine_failed)
    results_.ended(outcome.node, outcome.queue, outcome.verdict == run_verdict::succeeded,
                   outcome.time_ns);
  queues_.insert(outcome.queue);
  changed_queues_.insert(outcome.queue);
}

model::health_record health_core::node(const std::string& id, std::int64_t now_ns) const {
  model::health_record out{machine_.node(id, now_ns), results_.node(id, now_ns), {}, {}};
  const auto found = notes_.find(id);
  if (found == notes_.end()) return out;
  out.last_failure = found->second.last_failure;
  out.quarantine = found->second.quarantine;
  return out;
}

double health_core::queue_failure(const std::string& queue, std::int64_t now_ns) const {
  const auto of_machine = machine_.queue(queue, now_ns);
  const auto of_results = results_.queue(queue, now_ns);
  double out = 0;
  if (of_machine.runs >= config_.runs_min) out = std::max(out, of_machine.failure());
  if (of_results.runs >= config_.runs_min) out = std::max(out, of_results.failure());
  return out;
}

std::map<std::string, double> health_core::slowed(std::int64_t now_ns) const {
  std::map<std::string, double> out;
  for (const auto& queue : queues_)
    if (const auto by = queue_failure(queue, now_ns) * config_.queue_slowdown; by > 0)
      out.emplace(queue, by);
  return out;
}

void health_core::set_quarantine(const std::string& node, const model::quarantine& what) {
  // A node of which nothing is known gets a note only when there is something to say.
  const auto found = notes_.find(node);
  if ((found == notes_.end() ? model::quarantine{} : found->second.quarantine) == what) return;
  auto& notes = notes_[node];
  if (what.until_ns == 0) machine_.forget_node(node);
  notes.quarantine = what;
  changed_nodes_.insert(node);
}

void health_core::release(const std::string& node, std::int64_t now_ns) {
  released_[node] = now_ns;
  forget_node(node);
  released_[node] = now_ns;
}

void health_core::forget_node(const std::string& node) {
  take_waiting();
  touched_.erase(node);
  released_.erase(node);
  if (notes_.erase(node) == 0) return;
  machine_.forget_node(node);
  results_.forget_node(node);
  changed_nodes_.insert(node);
}

void health_core::forget_queue(const std::string& queue) {
  take_waiting();
  if (queues_.erase(queue) == 0) return;
  machine_.forget_queue(queue);
  results_.forget_queue(queue);
  changed_queues_.insert(queue);
}

std::vector<model::carried_entry> health_core::take_changes(std::size_t count_max) {
  std::vector<model::carried_entry> out;
  const auto take_from = [&](std::set<std::string>& changed, kind what) {
    while (!changed.empty() && out.size() < count_max)
      out.push_back(entry_of(what, changed.extract(changed.begin()).value()));
  };
  take_from(changed_nodes_, kind::node_health);
  take_from(changed_queues_, kind::queue_health);
  return out;
}

model::carried_entry health_core::entry_of(kind what, const std::string& name) const {
  model::carried_entry out{what, {}, name};
  // An entry holds the estimates whatever their age. Its reader judges that by a time of its own.
  constexpr std::int64_t any_time = 0;
  if (what == kind::node_health) {
    out.gone = !notes_.contains(name);
    if (!out.gone) out.health = node(name, any_time);
  } else {
    out.gone = !queues_.contains(name);
    if (!out.gone)
      out.health = {machine_.queue(name, any_time), results_.queue(name, any_time), {}, {}};
  }
  return out;
}

void health_core::restore(const model::carried_entry& entry) {
  if (entry.gone) {
    if (entry.what == kind::node_health) changed_nodes_.insert(entry.name);
    if (entry.what == kind::queue_health) changed_queues_.insert(entry.name);
    return;
  }
  const auto& [machine, results, last_failure, quarantine] = entry.health;
  if (entry.what == kind::node_health) {
    if (machine.runs != 0) machine_.set_node(entry.name, machine);
    if (results.runs != 0) results_.set_node(entry.name, results);
    notes_[entry.name] = {last_failure, quarantine};
  } else if (entry.what == kind::queue_health) {
    if (machine.runs != 0) machine_.set_queue(entry.name, machine);
    if (results.runs != 0) results_.set_queue(entry.name, results);
    queues_.insert(entry.name);
  }
}

}  // namespace argosy::ledger
