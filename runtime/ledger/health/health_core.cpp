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

std::set<model::node_path> health_core::settle() {
  take_waiting();
  return std::exchange(touched_, {});
}

void health_core::take_waiting() {
  auto taken = std::exchange(waiting_, {});
  // Batches of several queues arrive in any order; those of one batch keep theirs.
  std::ranges::stable_sort(taken, {}, &run_outcome::position);
  std::set<std::pair<model::log_position, model::node_path>> losses;
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

model::health_record health_core::node(const model::node_path& id, std::int64_t now_ns) const {
  model::health_record out{machine_.node(id, now_ns), results_.node(id, now_ns), {}, {}};
  const auto found = notes_.find(id);
  if (found == notes_.end()) return out;
  out.last_failure = found->second.last_failure;
  out.quarantine = found->second.quarantine;
  return out;
}

double health_core::queue_failure(const model::queue_name& queue, std::int64_t now_ns) const {
  const auto of_machine = machine_.queue(queue, now_ns);
  const auto of_results = results_.queue(queue, now_ns);
  double out = 0;
  if (of_machine.runs >= config_.runs_min) out = std::max(out, of_machine.failure());
  if (of_results.runs >= config_.runs_min) out = std::max(out, of_results.failure());
  return out;
}

std::map<model::queue_name, double> health_core::slowed(std::int64_t now_ns) const {
  std::map<model::queue_name, double> out;
  for (const auto& queue : queues_)
    if (const auto by = queue_failure(queue, now_ns) * config_.queue_slowdown; by > 0)
      out.emplace(queue, by);
  return out;
}

void health_core::set_quarantine(const model::node_path& node, const model::quarantine& what) {
  // A node of which nothing is known gets a note only when there is something to say.
  const auto found = notes_.find(node);
  if ((found == notes_.end() ? model::quarantine{} : found->second.quarantine) == what) return;
  auto& notes = notes_[node];
  if (what.until_ns == 0) machine_.forget_node(node);
  notes.quarantine = what;
  changed_nodes_.insert(node);
}

void health_core::release(const model::node_path& node, std::int64_t now_ns) {
  released_[node] = now_ns;
  forget_node(node);
  released_[node] = now_ns;
}

void health_core::forget_node(const model::node_path& node) {
  take_waiting();
  touched_.erase(node);
  released_.erase(node);
  if (notes_.erase(node) == 0) return;
  machine_.forget_node(node);
  results_.forget_node(node);
  changed_nodes_.insert(node);
}

void health_core::forget_queue(const model::queue_name& queue) {
  take_waiting();
  if (queues_.erase(queue) == 0) return;
  machine_.forget_queue(queue);
  results_.forget_queue(queue);
  changed_queues_.insert(queue);
}

std::vector<model::carried_entry> health_core::take_changes(std::size_t count_max) {
  std::vector<model::carried_entry> out;
  const auto take_from = [&](auto& changed, kind what) {
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
    const model::node_path id{name};
    out.gone = !notes_.contains(id);
    if (!out.gone) out.health = node(id, any_time);
  } else {
    const model::queue_name queue{name};
    out.gone = !queues_.contains(queue);
    if (!out.gone)
      out.health = {machine_.queue(queue, any_time), results_.queue(queue, any_time), {}, {}};
  }
  return out;
}

void health_core::restore(const model::carried_entry& entry) {
  const auto& [machine, results, last_failure, quarantine] = entry.health;
  if (entry.what == kind::node_health) {
    const model::node_path node{entry.name};
    if (entry.gone) {
      changed_nodes_.insert(node);
      return;
    }
    if (machine.runs != 0) machine_.set_node(node, machine);
    if (results.runs != 0) results_.set_node(node, results);
    notes_[node] = {last_failure, quarantine};
  } else if (entry.what == kind::queue_health) {
    const model::queue_name queue{entry.name};
    if (entry.gone) {
      changed_queues_.insert(queue);
      return;
    }
    if (machine.runs != 0) machine_.set_queue(queue, machine);
    if (results.runs != 0) results_.set_queue(queue, results);
    queues_.insert(queue);
  }
}

}  // namespace argosy::ledger
