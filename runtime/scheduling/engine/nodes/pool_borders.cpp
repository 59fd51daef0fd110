// SPDX-License-Identifier: Apache-2.0
#include "runtime/scheduling/engine/nodes/pool_borders.hpp"

#include <string>

namespace argosy::scheduling::engine {

pool_borders::pool_borders(const tables& t, const config& conf, std::uint32_t pool)
    : t_(t), conf_(conf), pool_(pool), mixed_(t.pools.size() > 1), lending_{pool} {
  const auto add = [&](const std::vector<std::string>& names, std::vector<std::uint32_t>& into) {
    for (const auto& name : names)
      if (const auto number = t.pools.find(name); number != none && number != pool)
        into.push_back(number);
  };
  add(conf.away_pools, lending_);
  add(conf.guest_pools, guest_pools_);
}

}  // namespace argosy::scheduling::engine
