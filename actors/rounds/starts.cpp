// SPDX-License-Identifier: Apache-2.0
#include "actors/rounds/starts.hpp"

#include <algorithm>
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
  for (const auto& [queue, reply] : std::exchange(accepted_, {})) {
    if (held_back_.empty()) {
      send(queue, *reply);
      continue;
    }
    native::place_reply at_once;
    auto later = std::make_shared<native::place_reply>();
    for (const auto& [cluster, runs] : reply->start)
      for (const auto& run : runs)
        (is_held_back(model::node_id(cluster, run.node)) ? *later : at_once)
            .start[cluster]
            .push_back(run);
    send(queue, at_once);
    if (!later->start.empty()) accepted_.emplace_back(queue, std::move(later));
  }
}

bool starts::is_held_back(const model::node_path& node) const {
  return std::any_of(held_back_.begin(), held_back_.end(),
                     [&](const auto& of) { return of.second.contains(node); });
}

/// Sends one message to each cluster.
void starts::send(const model::queue_name& queue, const native::place_reply& reply) {
  for (const auto& [cluster, runs] : reply.start) {
    auto orders = std::make_shared<native::queue_orders>();
    orders->queue = queue;
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
