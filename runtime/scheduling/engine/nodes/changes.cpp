// SPDX-License-Identifier: Apache-2.0
#include "runtime/scheduling/engine/nodes/changes.hpp"

namespace argosy::scheduling::engine {

void change_log::open(const std::vector<std::uint32_t>& kinds, std::uint32_t kind_count,
                      const std::vector<std::uint32_t>& profiles, std::uint32_t profile_count) {
  kind_count_ = kind_count;
  lists_.assign(1 + std::size_t{kind_count} + profile_count, {});
  positions_.assign(kinds.size(), 0);
  links_.assign(kinds.size(), {});
  memberships_.reserve(kinds.size());
  for (std::size_t node = 0; node < kinds.size(); ++node)
    memberships_.emplace_back(list_of_kind(kinds[node]), list_of_profile(profiles[node]));
}

void change_log::move_to_front(std::uint32_t node, std::uint32_t which, std::uint32_t number,
                               std::uint64_t position) {
  auto& to = lists_[number];
  to.position = position;
  if (to.front == node) return;
  auto& mine = links_[node][which];
  if (mine.previous != nobody) links_[mine.previous][which].next = mine.next;
  if (mine.next != nobody) links_[mine.next][which].previous = mine.previous;
  mine.previous = nobody;
  mine.next = to.front;
  if (to.front != nobody) links_[to.front][which].previous = node;
  to.front = node;
}

void change_log::file_fresh() {
  // Many changes at once are mostly changes of the same nodes, of which only the last one counts.
  if (fresh_.size() > 64) {
    once_.clear();
    for (auto i = fresh_.size(); i-- > 0;) {
      const auto node = fresh_[i];
      if (positions_[node] > filed_) continue;
      positions_[node] = filed_ + i + 1;
      once_.emplace_back(node, filed_ + i + 1);
    }
    for (auto at = once_.rbegin(); at != once_.rend(); ++at) file(at->first, at->second);
  } else {
    for (std::size_t i = 0; i < fresh_.size(); ++i) file(fresh_[i], filed_ + i + 1);
  }
  filed_ += fresh_.size();
  fresh_.clear();
}

}  // namespace argosy::scheduling::engine
