// SPDX-License-Identifier: Apache-2.0
// Writes for people why the share of a queue in a pool is what it is.
#pragma once

#include <cstddef>
#include <map>
#include <string>

#include "messages/proto/argosy/v1.pb.h"

namespace argosy::ctl {

/// The queues that took part in the last round of one pool.
struct pool_weights {
  double sum = 0;  ///< The sum of their weights, each 1 / its priority factor.
  std::size_t queues = 0;
};

/// By pool.
[[nodiscard]] std::map<std::string, pool_weights> weights_by_pool(
    const argosy::v1::ListQueuesResponse& queues);

/// "pool main: its weight 0.5 of 2 among 3 queues gives it a fair share of 25.0%; it uses 31.0%
/// and ...". `factor` is the priority factor of the queue.
[[nodiscard]] std::string share_sentence(const argosy::v1::PoolShare& share, double factor,
                                         const pool_weights& all);

}  // namespace argosy::ctl
