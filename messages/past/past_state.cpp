// SPDX-License-Identifier: Apache-2.0
#include "messages/past/past_state.hpp"

#include <set>
#include <utility>

#include "runtime/ledger/gang_core.hpp"

namespace argosy::past {

namespace {

/// Tells the queue of its gangs what their GANGs would.
void report_gangs(ledger::queue_core& queue) {
  for (const auto& roll : queue.gangs()) {
    ledger::gang_core gang{roll.gang};
    for (const auto& member : roll.members) gang.restore(member);
    if (const auto report = gang.take_report()) queue.gang_reported(*report);
  }
}

/// The nodes, by id, on which jobs have live runs.
std::set<std::string> nodes_with_runs(const view::recovered_state& state) {
  std::set<std::string> out;
  for (const auto& [name, queue] : state.queues)
    queue->for_each([&](const model::job_record& job) {
      if (const auto* run = job.live_run()) out.insert(model::node_id(run->cluster, run->node));
    });
  return out;
}

}  // namespace

past_state::past_state(view::recovered_state begin, const view::state_rules& rules)
    : state_(std::move(begin)), rules_(rules) {
  hand_on(std::exchange(state_.carried, {}));
}

void past_state::hand_on(const std::vector<model::carried_entry>& entries) {
  for (const auto& entry : entries) {
    // The name of a penalty is that of its queue, and not part of what tells it from others.
    const auto name = entry.job.is_nil() ? entry.name : std::string{};
    const entry_key key{entry.what, entry.pool, name, entry.job, entry.resource};
    if (entry.gone)
      carried_.erase(key);
    else
      carried_.insert_or_assign(key, entry);
  }
}

void past_state::note_departures(const model::event& event) {
  const auto leaves = [&](const ledger::cluster_core& cluster, const model::node_info& info) {
    departed_[model::node_id(cluster.info().name, info.name)] = {cluster.info().name,
                                                                 cluster.info().pool, info};
  };
  const auto find = [&](const model::cluster_name& name) -> const ledger::cluster_core* {
    const auto found = state_.clusters.find(name);
    return found == state_.clusters.end() ? nullptr : found->second.get();
  };
  if (const auto* nodes = std::get_if<model::nodes_changed>(&event.payload)) {
    if (const auto* cluster = find(nodes->cluster))
      for (const auto& name : nodes->removed)
        if (const auto info = cluster->node_infos().find(name); info != cluster->node_infos().end())
          leaves(*cluster, info->second);
  } else if (const auto* left = std::get_if<model::cluster_left>(&event.payload)) {
    if (const auto* cluster = find(left->cluster))
      for (const auto& [name, info] : cluster->node_infos()) leaves(*cluster, info);
  }
}

bool past_state::make_lean(model::event& event) {
  if (std::holds_alternative<model::submission_accepted>(event.payload)) return false;
  if (const auto* submitted = std::get_if<model::job_submitted>(&event.payload)) {
    auto header = std::make_shared<model::job_header>(*submitted->header);
    header->spec = nullptr;
    header->client_id = {};
    event.payload = model::job_submitted{std::move(header)};
  }
  return true;
}

void past_state::apply(const model::event& event) {
  note_departures(event);
  static_cast<void>(state_.apply(event, rules_));
}

scheduling::carry_over past_state::carried() const {
  scheduling::carry_over out;
  for (const auto& [key, entry] : carried_) out.restore(entry);
  return out;
}

void past_state::fold_queues(rounds::delta_fold& fold, std::vector<error>& errors) {
  for (const auto& [name, queue] : state_.queues) {
    report_gangs(*queue);
    queue->touch_all();
    native::queue_delta delta;
    delta.queue = name;
    delta.exists = queue->exists();
    if (delta.exists) delta.settings = *queue->settings();
    delta.jobs = std::make_shared<const ledger::job_changes>(queue->take_dirty().jobs);
    for (auto& wrong : fold.fold(delta)) errors.push_back(std::move(wrong));
  }
}

void past_state::fold_node(const model::cluster_name& cluster, const model::pool_name& pool,
                           const model::node_info& info, const scheduling::closed_nodes& closed,
                           rounds::delta_fold& fold, std::vector<error>& errors) const {
  using scheduling::node_openness;
  const auto how = closed.of(model::node_id(cluster, info.name));
  native::node_delta delta;
  delta.cluster = cluster;
  delta.pool = pool;
  delta.present = true;
  delta.info = info;
  delta.info.unschedulable = how != node_openness::open;
  delta.quarantined = how == node_openness::quarantined;
  for (auto& wrong : fold.fold(delta)) errors.push_back(std::move(wrong));
}

void past_state::fold_nodes(rounds::delta_fold& fold, std::vector<error>& errors) const {
  scheduling::closed_nodes closed;
  for (const auto& [key, entry] : carried_) closed.restore(entry);
  std::set<std::string> there;
  for (const auto& [name, cluster] : state_.clusters) {
    if (!cluster->present()) continue;
    for (const auto& [node, info] : cluster->node_infos()) {
      fold_node(name, cluster->info().pool, info, closed, fold, errors);
      there.insert(model::node_id(name, node));
    }
  }
  const auto busy = nodes_with_runs(state_);
  for (const auto& [id, node] : departed_)
    if (busy.contains(id) && !there.contains(id))
      fold_node(node.cluster, node.pool, node.info, closed, fold, errors);
}

std::vector<error> past_state::fold_into(rounds::delta_fold& fold) {
  std::vector<error> errors;
  fold_nodes(fold, errors);
  fold_queues(fold, errors);
  static_cast<void>(fold.settle());
  return errors;
}

std::string past_state::settings_text(std::uint64_t version) const {
  for (auto at = state_.settings_changes.rbegin(); at != state_.settings_changes.rend(); ++at)
    if (at->change.version == version) return at->change.text;
  return {};
}

}  // namespace argosy::past
