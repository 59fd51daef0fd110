// SPDX-License-Identifier: Apache-2.0
// The ROUNDs of the COORDINATOR, one for each pool. Each is spawned when its pool is decided first,
// and ends when the pool has no nodes any more, or when it gave no plan in time.
#pragma once

#include <algorithm>
#include <map>
#include <utility>
#include <vector>

#include "actors/rounds/round.hpp"
#include "runtime/model/identifiers.hpp"

namespace argosy::actors {

class deciders {
 public:
  deciders() = default;
  deciders(round_rules rules, const clock_source* clock, run_on where)
      : rules_(std::move(rules)), clock_(clock), where_(where) {}

  /// The ROUND of the pool, which decides now. `self` is told of its end.
  template <class Self>
  [[nodiscard]] const round_actor& of(Self self, const model::pool_name& pool) {
    auto& round = by_pool_[pool];
    if (!round) {
      round = spawn_round(self->system(), {self->address(), rules_, clock_}, where_);
      self->monitor(round);
    }
    last_ = round.address();
    return round;
  }
  /// The ROUNDs of all other pools end.
  template <class Self>
  void keep(Self self, const std::vector<model::pool_name>& pools) {
    std::erase_if(by_pool_, [&](const auto& each) {
      if (std::find(pools.begin(), pools.end(), each.first) != pools.end()) return false;
      self->send_exit(each.second, caf::exit_reason::user_shutdown);
      return true;
    });
  }
  /// The ROUND that decided last is not trusted any more, and ends as soon as it listens.
  template <class Self>
  void give_up_last(Self self) {
    if (const auto round = caf::actor_cast<caf::actor>(last_))
      self->send_exit(round, caf::exit_reason::user_shutdown);
    std::erase_if(by_pool_, [this](const auto& each) { return each.second == last_; });
  }
  /// One has ended. Returns whether it was the one that decided last.
  [[nodiscard]] bool ended(const caf::actor_addr& round) {
    std::erase_if(by_pool_, [&](const auto& each) { return each.second == round; });
    return round == last_;
  }

 private:
  round_rules rules_;
  const clock_source* clock_ = nullptr;
  run_on where_ = run_on::own_thread;
  std::map<model::pool_name, round_actor> by_pool_;
  caf::actor_addr last_;
};

}  // namespace argosy::actors
