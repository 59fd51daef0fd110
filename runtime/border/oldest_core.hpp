// SPDX-License-Identifier: Apache-2.0
// Says who has to go when places are short: who came first of the address block with the most of
// them. Blocks with few places count as having the same, since otherwise a thousand blocks with one
// place each would push out a block of two.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <tuple>

#include "runtime/border/address_block.hpp"

namespace argosy::border {

/// Those who hold a place, named by numbers, such as those of their sockets. Each operation takes
/// time in the logarithm of how many there are.
class oldest_core {
 public:
  using id = std::int64_t;
  /// Blocks with as many places, or fewer, count as having as many.
  static constexpr std::size_t few = 8;

  /// `who` must not be there.
  void add(id who, const address_block& block) {
    const auto turn = next_++;
    places_.emplace(who, place{block, turn});
    change(block, [&](by_turn& all) { all.emplace(turn, who); });
  }

  /// Does nothing if `who` is not there.
  void remove(id who) {
    const auto found = places_.find(who);
    if (found == places_.end()) return;
    const auto [block, turn] = found->second;
    places_.erase(found);
    change(block, [&](by_turn& all) { all.erase(turn); });
  }

  /// Who came first of the block with the most places, or of those that count as having as many;
  /// nothing if nobody is there.
  [[nodiscard]] std::optional<id> first_to_go() const {
    if (by_size_.empty()) return std::nullopt;
    return blocks_.at(std::get<address_block>(*by_size_.rbegin())).begin()->second;
  }

  [[nodiscard]] std::size_t size() const { return places_.size(); }

 private:
  struct place {
    address_block block;
    std::uint64_t turn;
  };
  using by_turn = std::map<std::uint64_t, id>;
  /// The greatest is of the block with the most places and, of several, the one there the longest.
  using size_key = std::tuple<std::size_t, std::uint64_t, address_block>;

  static size_key key_of(const by_turn& all, const address_block& block) {
    return {std::max(all.size(), few), ~all.begin()->first, block};
  }

  template <class Function>
  void change(const address_block& block, Function&& how) {
    auto& all = blocks_[block];
    if (!all.empty()) by_size_.erase(key_of(all, block));
    how(all);
    if (all.empty())
      blocks_.erase(block);
    else
      by_size_.insert(key_of(all, block));
  }

  std::uint64_t next_ = 0;
  std::map<id, place> places_;
  std::map<address_block, by_turn> blocks_;
  std::set<size_key> by_size_;
};

}  // namespace argosy::border
