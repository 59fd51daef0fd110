// SPDX-License-Identifier: Apache-2.0
// Sets of planes, and those that are in force for a plane's store.
#pragma once

#include <bit>

#include "tests/unit/takeover/takeover_model.hpp"

namespace argosy::takeover {

inline plane_set only(int plane) {
  return static_cast<plane_set>(1U << plane);
}
inline bool contains(int planes, int plane) {
  return (planes >> plane & 1) != 0;
}
inline int count_of(int planes) {
  return std::popcount(static_cast<unsigned>(planes));
}

/// Calls the function with the planes that a store names, and with those that it named before each
/// change of which it does not know yet that it is committed. What a person decided ends that.
template <class Function>
void model::for_each_set_in_force(const plane& it, Function function) const {
  function(book_[it.end].named);
  if (!rules_.old_and_new_planes_both_count) return;
  const auto known = book_.fork(it.known_committed, it.end);
  for (record_id at = it.end; at != known; at = book_[at].before) {
    const auto before = book_[book_[at].before].named;
    if (before == book_[at].named) continue;
    if (book_[at].kind == record_kind::elected) return;
    function(before);
  }
}

/// Whether the function holds for a set of planes that somebody may need.
template <class Function>
bool model::any_set(Function function) const {
  if (function(book_[world_.acknowledged].named)) return true;
  bool out = false;
  const auto look_at = [&](const log_entry& entry) {
    const auto& record = book_[entry.record];
    const bool counts = book_.has(world_.acknowledged, entry.record);
    if (record.kind == record_kind::planes && !counts) out = out || function(record.named);
  };
  for (std::size_t i = 0; i < world_.late.count; ++i) look_at(world_.late.members[i].entry);
  for (const auto& server : world_.log.servers) {
    for (int i = 0; i < server.length; ++i) look_at(server.entries[i]);
  }
  for (int p = 0; p < most_planes; ++p) {
    const auto& it = world_.planes[p];
    if (it.state != plane_state::running && it.state != plane_state::stopped) continue;
    if (it.in_flight != 0) out = out || function(book_[it.in_flight].named);
    if (!book_.has(it.end, world_.acknowledged)) continue;
    for_each_set_in_force(it, [&](plane_set named) { out = out || function(named); });
  }
  return out;
}

}  // namespace argosy::takeover
