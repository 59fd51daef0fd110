// SPDX-License-Identifier: Apache-2.0
#include "actors/rounds/node_health.hpp"

#include <memory>
#include <utility>

namespace argosy::actors {

namespace {

/// How often it is looked whether an estimate has become too old.
constexpr std::int64_t look_period_ns = 1'000'000'000;

/// How many entries a record of a round holds at most, see carry_over::take_changes().
constexpr std::size_t entries_max = 10'000;

}  // namespace

void node_health::restore(const model::carried_entry& entry) {
  core_.restore(entry);
  if (entry.what == model::carried_entry::kind::node_health) restored_.insert(entry.name);
}

void node_health::ended(const std::vector<ledger::run_outcome>& outcomes) {
  for (const auto& outcome : outcomes) core_.ended(outcome);
}

native::node_delta node_health::take(const native::node_delta& delta, std::int64_t now_ns) {
  const auto id = model::node_id(delta.cluster, delta.info.name);
  auto out = delta;
  if (!delta.present) {
    core_.forget_node(id);
    restored_.erase(id);
  } else if (restored_.erase(id) != 0) {
    auto known = std::make_shared<model::health_record>(core_.node(id, now_ns));
    if (known->quarantine.until_ns > now_ns) out.info.unschedulable = true;
    tell_(id, std::move(known), true);
  } else {
    core_.set_quarantine(id, delta.quarantine);
  }
  return out;
}

void node_health::take(const native::queue_delta& delta) {
  if (!delta.exists) core_.forget_queue(delta.queue);
}

bool node_health::settle(std::int64_t now_ns) {
  const auto nodes = core_.settle();
  for (const auto& id : nodes)
    tell_(id, std::make_shared<const model::health_record>(core_.node(id, now_ns)), false);
  if (nodes.empty() && now_ns - looked_ns_ < look_period_ns) return false;
  looked_ns_ = now_ns;
  slowed_ = core_.slowed(now_ns);
  return true;
}

void node_health::add_changes(std::vector<model::carried_entry>& out) {
  if (out.size() >= entries_max) return;
  for (auto& entry : core_.take_changes(entries_max - out.size())) out.push_back(std::move(entry));
}

}  // namespace argosy::actors
