// SPDX-License-Identifier: Apache-2.0
#include "actors/rounds/node_health.hpp"

#include <memory>
#include <utility>

#include "runtime/scheduling/between/carry_over.hpp"

namespace argosy::actors {

namespace {

/// How often it is looked whether an estimate has become too old.
constexpr std::int64_t look_period_ns = 1'000'000'000;

}  // namespace

void node_health::restore(const model::carried_entry& entry) {
  core_.restore(entry);
  if (entry.what == model::carried_entry::kind::node_health && !entry.gone)
    restored_.emplace(entry.name);
}

void node_health::ended(const std::vector<ledger::run_outcome>& outcomes) {
  for (const auto& outcome : outcomes) core_.ended(outcome);
}

bool node_health::take(const native::node_delta& delta, std::int64_t now_ns) {
  const auto id = model::node_id(delta.cluster, delta.info.name);
  const bool restored = restored_.erase(id) != 0;
  if (!delta.present) {
    core_.forget_node(id);
    return false;
  }
  if (!restored) {
    core_.set_quarantine(id, delta.quarantine);
    return false;
  }
  auto known = std::make_shared<model::health_record>(core_.node(id, now_ns));
  const bool held = known->quarantine.until_ns > now_ns;
  tell_(id, std::move(known), true);
  return held;
}

void node_health::take(const native::queue_delta& delta) {
  if (!delta.exists) core_.forget_queue(delta.queue);
}

void node_health::release(const model::node_path& node, std::int64_t now_ns) {
  restored_.erase(node);
  core_.release(node, now_ns);
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
  constexpr auto most = scheduling::carried_changes_max;
  if (out.size() >= most) return;
  for (auto& entry : core_.take_changes(most - out.size())) out.push_back(std::move(entry));
}

}  // namespace argosy::actors
