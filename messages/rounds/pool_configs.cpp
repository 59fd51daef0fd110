// SPDX-License-Identifier: Apache-2.0
#include "messages/rounds/pool_configs.hpp"

#include <algorithm>

namespace argosy::rounds {

std::vector<model::pool_name> pool_configs::pools(const delta_fold& fold) const {
  auto all = fold.pools();
  for (const auto& [pool, own] : by_pool_)
    if (!own->away_pools.empty() && std::find(all.begin(), all.end(), pool) == all.end())
      all.emplace_back(pool);
  return all;
}

}  // namespace argosy::rounds
