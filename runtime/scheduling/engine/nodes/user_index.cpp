// SPDX-License-Identifier: Apache-2.0
#include "runtime/scheduling/engine/nodes/user_index.hpp"

#include <bit>
#include <utility>

namespace argosy::scheduling::engine {

user_index::user_index(const node_columns& nodes, room& free, const bindings& bound,
                       matching& terms, const newcomers& placed, std::vector<std::uint8_t> bits)
    : nodes_(nodes),
      room_(free),
      bound_(bound),
      matching_(terms),
      placed_(placed),
      bits_(std::move(bits)) {}

std::uint32_t user_index::count_users(std::uint32_t node) const {
  auto user = none;
  const auto consider = [&](std::uint32_t job) {
    if (user == several) return;
    if (!bound_.is_bound(job) && !bound_.holds_room(job)) return;
    if (bound_.node_of(job) != node) return;
    const auto queue = nodes_.t.jobs[job].queue;
    user = user == none || user == queue ? queue : several;
  };
  for (const auto job : nodes_.record(node).jobs) consider(job);
  placed_.visit(node, consider);
  return user;
}

unsigned_wide user_index::packed(const std::int64_t* amounts) const {
  unsigned_wide key = 0;
  for (std::size_t i = 0; i < bits_.size(); ++i)
    key = (key << bits_[i]) |
          static_cast<std::uint64_t>(nodes_.usable(amounts[nodes_.indexed[i].first]));
  return key;
}

void user_index::file(std::uint32_t node) {
  users_[node] = count_users(node);
  if (!packs() || users_[node] == several) return;
  filed_[node] = packed(room_.free(node, 0));
  by_user_[users_[node]].insert({filed_[node], nodes_.id_order(node), node});
}

void user_index::follow() {
  const auto& changes = room_.changes();
  if (users_.empty()) {
    users_.resize(nodes_.count());
    filed_.resize(nodes_.count());
    for (std::uint32_t node = 0; node < nodes_.count(); ++node) file(node);
  } else {
    changes.visit(change_log::everything, position_, [&](std::uint32_t node) {
      if (packs() && users_[node] != several)
        by_user_[users_[node]].erase({filed_[node], nodes_.id_order(node), node});
      file(node);
      return true;
    });
  }
  position_ = changes.filed();
}

unsigned_wide user_index::next_key(std::uint32_t node, const std::int64_t* need) const {
  const auto* room = room_.free(node, 0);
  unsigned_wide key = 0;
  bool is_short = false;
  for (std::size_t i = 0; i < bits_.size(); ++i) {
    const auto d = nodes_.indexed[i].first;
    is_short = is_short || nodes_.usable(room[d]) < need[d];
    key =
        (key << bits_[i]) | static_cast<std::uint64_t>(is_short ? need[d] : nodes_.usable(room[d]));
  }
  return is_short ? key : 0;
}

std::uint32_t user_index::first(std::uint32_t user, const std::int64_t* need,
                                std::uint32_t matcher) {
  follow();
  const auto found = by_user_.find(user);
  if (found == by_user_.end()) return none;
  for (std::size_t i = 0; i < bits_.size(); ++i)
    if (static_cast<unsigned>(
            std::bit_width(static_cast<std::uint64_t>(need[nodes_.indexed[i].first]))) > bits_[i])
      return none;
  const auto& list = found->second;
  const auto ties = matching_.has_soft_taints();
  const entry* best = nullptr;
  std::uint32_t least = 0;
  for (auto at = list.lower_bound({packed(need), 0, none}); at != list.end();) {
    if (best != nullptr && at->free != best->free) break;
    if (room_.fits(need, at->node, 0) && matching_.suits(matcher, at->node)) {
      if (!ties) return at->node;
      const auto soft = matching_.soft_taints(matcher, nodes_.kind(at->node));
      if (best == nullptr || soft < least) {
        best = &*at;
        least = soft;
      }
    }
    // The nodes up to the next key that may be enough are short of something as well.
    const auto next = next_key(at->node, need);
    if (next > at->free)
      at = list.lower_bound({next, 0, none});
    else
      ++at;
  }
  return best == nullptr ? none : best->node;
}

}  // namespace argosy::scheduling::engine
