// SPDX-License-Identifier: Apache-2.0
// Places of which each block of addresses may take a part.
#pragma once

#include <cstddef>
#include <map>

#include "runtime/border/address_block.hpp"

namespace argosy::border {

class places_core {
 public:
  places_core(std::size_t all_max, std::size_t each_max) : all_max_(all_max), each_max_(each_max) {}

  /// Takes a place, which leave() gives back; false: there is none for this block.
  [[nodiscard]] bool enter(const address_block& block) {
    if (all_ == all_max_) return false;
    auto& mine = taken_[block];
    if (mine == each_max_) return false;
    ++mine;
    ++all_;
    return true;
  }

  void leave(const address_block& block) {
    const auto found = taken_.find(block);
    if (found == taken_.end()) return;
    --all_;
    if (--found->second == 0) taken_.erase(found);
  }

  /// Gives back all places.
  void clear() {
    all_ = 0;
    taken_.clear();
  }

  [[nodiscard]] std::size_t size() const { return all_; }
  [[nodiscard]] std::size_t blocks() const { return taken_.size(); }

 private:
  const std::size_t all_max_;
  const std::size_t each_max_;
  std::size_t all_ = 0;
  std::map<address_block, std::size_t> taken_;  ///< Blocks without a place are not here.
};

}  // namespace argosy::border
