// SPDX-License-Identifier: Apache-2.0
#include "actors/state/queue_effects.hpp"

#include <variant>

#include "actors/state/gang.hpp"

namespace argosy::actors {

void queue_effects::carry_out(const ledger::queue_effect& effect) {
  std::visit([this](const auto& what) { act(what); }, effect);
}

void queue_effects::set_cluster(const model::cluster_name& cluster, const cluster_actor& handle) {
  clusters_[cluster] = handle;
}

void queue_effects::drop_cluster(const model::cluster_name& cluster, const cluster_actor& handle) {
  if (const auto found = clusters_.find(cluster);
      found != clusters_.end() && found->second == handle)
    clusters_.erase(found);
}

gang_actor& queue_effects::gang_of(const std::shared_ptr<const model::gang_info>& info,
                                   std::vector<ledger::gang_member> members) {
  auto& gang = gangs_[info->id];
  if (!gang)
    gang = spawn_gang(self_->system(),
                      {caf::actor_cast<queue_actor>(self_), info, std::move(members), probes_});
  return gang;
}

void queue_effects::act(const ledger::stop_order& stop) {
  const auto found = clusters_.find(stop.cluster);
  // ROOT has named every CLUSTER to this QUEUE before there can be anything to stop on it.
  if (found == clusters_.end()) return;
  auto orders = std::make_shared<native::queue_orders>();
  orders->queue = queue_;
  orders->stop.push_back(stop.order);
  self_->send(found->second, atom::orders_v, native::queue_orders_ptr{std::move(orders)});
}

void queue_effects::act(const ledger::run_over& over) {
  if (const auto found = clusters_.find(over.cluster); found != clusters_.end())
    self_->send(found->second, atom::ended_v, over.run, over.verdict);
}

void queue_effects::act(const ledger::gang_changed& changed) {
  self_->send(gang_of(changed.gang, {}), atom::changed_v,
              std::make_shared<const ledger::gang_changed>(changed));
  // A later gang may have the same id and must not find this GANG.
  if (changed.last) gangs_.erase(changed.gang->id);
}

}  // namespace argosy::actors
