// SPDX-License-Identifier: Apache-2.0
// The configurations by which the rounds of pools are decided.
#pragma once

#include <map>
#include <memory>
#include <string>
#include <vector>

#include "messages/rounds/delta_fold.hpp"
#include "runtime/scheduling/config.hpp"

namespace argosy::rounds {

class pool_configs {
 public:
  using config_ptr = std::shared_ptr<const scheduling::config>;

  /// `by_pool` has the pools with another configuration than `common`.
  pool_configs(config_ptr common, std::map<std::string, config_ptr> by_pool)
      : common_(std::move(common)), by_pool_(std::move(by_pool)) {}

  [[nodiscard]] const config_ptr& of(const model::pool_name& pool) const {
    const auto own = by_pool_.find(pool);
    return own == by_pool_.end() ? common_ : own->second;
  }
  /// The pools that have nodes, their own or those of an away pool.
  [[nodiscard]] std::vector<model::pool_name> pools(const delta_fold& fold) const;

 private:
  config_ptr common_;
  std::map<std::string, config_ptr> by_pool_;
};

}  // namespace argosy::rounds
