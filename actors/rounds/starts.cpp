// SPDX-License-Identifier: Apache-2.0
#include "actors/rounds/starts.hpp"

#include <memory>
#include <utility>

#include "actors/caf_error.hpp"

namespace argosy::actors {

void starts::forget(const model::cluster_name& cluster, const cluster_actor& handle) {
  if (const auto found = clusters_.find(cluster);
      found != clusters_.end() && found->second == handle)
    clusters_.erase(found);
}

void starts::hand_over() {
  for (const auto& [queue, reply] : std::exchange(accepted_, {})) send(queue, *reply);
}

/// Sends one message to each cluster.
void starts::send(const model::queue_name& queue, const native::place_reply& reply) {
  for (const auto& [cluster, runs] : reply.start) {
    auto orders = std::make_shared<native::queue_orders>();
    orders->queue = queue.str();
    orders->start = runs;
    if (const auto found = clusters_.find(cluster); found != clusters_.end())
      self_->send(found->second, atom::orders_v, native::queue_orders_ptr{std::move(orders)});
    else
      look_up(cluster, std::move(orders));
  }
}

/// The CLUSTER has ended since the plan was made. A new one gives the runs back to their QUEUE.
void starts::look_up(const model::cluster_name& cluster, const native::queue_orders_ptr& orders) {
  self_->request(root_, timeout_, atom::ensure_v, cluster)
      .then([this,
             orders](const cluster_actor& handle) { self_->send(handle, atom::orders_v, orders); },
            [cluster](const caf::error& err) {
              logger_.error("orders for a cluster that is not there",
                            logging::kv("cluster", cluster.str()),
                            logging::kv("error", to_string(from_caf(err))));
            });
}

}  // namespace argosy::actors
