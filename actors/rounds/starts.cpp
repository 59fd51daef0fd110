// SPDX-License-Identifier: Apache-2.0
#include "actors/rounds/starts.hpp"

#include <memory>

namespace argosy::actors {

void starts::hand_over() {
  for (const auto& [queue, reply] : std::exchange(accepted_, {})) send(queue, *reply);
}

/// Sends one message to each cluster.
void starts::send(const std::string& queue, const native::place_reply& reply) {
  for (const auto& [cluster, runs] : reply.start) {
    const auto found = clusters_.find(cluster);
    if (found == clusters_.end()) {
      logger_.error("orders for an unknown cluster", logging::kv("cluster", cluster));
      continue;
    }
    auto orders = std::make_shared<native::queue_orders>();
    orders->queue = queue;
    orders->start = runs;
    self_->send(found->second, atom::orders_v, native::queue_orders_ptr{std::move(orders)});
  }
}

}  // namespace argosy::actors
