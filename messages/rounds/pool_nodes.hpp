// SPDX-License-Identifier: Apache-2.0
// pool_nodes knows which pools have nodes.
#pragma once

#include <cstddef>
#include <map>
#include <string>
#include <vector>

namespace argosy::rounds {

class pool_nodes {
 public:
  void put(const std::string& node, const model::pool_name& pool) {
    if (const auto at = pool_of_.find(node); at != pool_of_.end() && at->second == pool) return;
    erase(node);
    pool_of_.emplace(node, pool);
    ++counts_[pool];
  }
  void erase(const std::string& node) {
    const auto at = pool_of_.find(node);
    if (at == pool_of_.end()) return;
    const auto count = counts_.find(at->second);
    if (--count->second == 0) counts_.erase(count);
    pool_of_.erase(at);
  }
  /// In the order of names.
  [[nodiscard]] std::vector<model::pool_name> pools() const {
    std::vector<model::pool_name> out;
    for (const auto& [pool, nodes] : counts_) out.push_back(pool);
    return out;
  }

 private:
  std::map<std::string, model::pool_name> pool_of_;
  std::map<model::pool_name, std::size_t> counts_;  ///< How many nodes each pool has; never 0.
};

}  // namespace argosy::rounds
