// SPDX-License-Identifier: Apache-2.0
// Chooses which jobs of a node leave for a more urgent job, so that the least harm is done.
#include <algorithm>
#include <cmath>
#include <limits>

#include "runtime/scheduling/engine/round_engine.hpp"
#include "runtime/scheduling/engine/steps/needed_victims.hpp"

namespace argosy::scheduling::engine {

bool round_engine::gang_may_leave(std::uint32_t job, std::int32_t below) {
  // An evicted job of the same class leaves for balance, not for urgency, and the budget counts it.
  const auto balanced = std::isinf(books_.preemption_tokens);
  const auto gang = t_.jobs[job].gang;
  const auto* loss = losses_.of(gang);
  const auto spared = loss != nullptr && losses_.spares(*loss);
  const auto may_leave = [&](std::uint32_t member) {
    const auto level = nodes_.bound_priority(member);
    if ((nodes_.state(member).flags & holds_room) != 0)
      return level < below || (balanced && level == below && !spared);
    if (!nodes_.is_bound(member)) return true;
    const auto& record = t_.jobs[member];
    return books_.of(member) != none && !nodes_.immovable(member, record.shape) && level < below;
  };
  if (gang == none) return may_leave(job);
  const auto& members = t_.gangs[gang].members;
  return std::all_of(members.begin(), members.end(), may_leave);
}

double round_engine::victim_share(std::uint32_t job) const {
  const auto queue = books_.of(job);
  return queue == none ? 0 : victim_shares_[queue];
}

// Whether a has the better claim: the higher class first, then jobs that are not evicted, then
// those of the queue that has less.
bool round_engine::more_entitled(const candidate& a, const candidate& b) const {
  if (a.at != b.at) return a.at > b.at;
  if (a.is_bound != b.is_bound) return a.is_bound;
  if (a.share != b.share) return a.share < b.share;
  if (a.created != b.created) return a.created < b.created;
  return t_.jobs[a.job].id < t_.jobs[b.job].id;
}

bool round_engine::has_left(std::uint32_t job) const {
  const auto flags = nodes_.state(job).flags;
  return (flags & touched) != 0 && (flags & (bound | holds_room)) == 0;
}

bool round_engine::gather_candidates(const offer& o, std::uint32_t node) {
  candidates_.clear();
  bool shared = false;
  const auto balanced = std::isinf(books_.preemption_tokens);
  const auto consider = [&](std::uint32_t job) {
    if (has_left(job)) return;
    const auto& state = nodes_.state(job);
    const auto& record = t_.jobs[job];
    shared = shared || record.gang != none;
    // No job pushes out a member of its own gang.
    if (o.gang != none && record.gang == o.gang) return;
    const auto held = (state.flags & holds_room) != 0 && state.number != 0;
    const auto here = nodes_.is_bound(job) && nodes_.node_of(job) == node;
    if (!held && !here) return;
    const auto level = nodes_.bound_priority(job);
    const auto queue = books_.of(job);
    if (record.gang != none) {
      if (!gang_may_leave(job, o.priority)) return;
    } else if (here) {
      if (level >= o.priority || queue == none || nodes_.immovable(job, record.shape)) return;
    } else if (level >= o.priority && !(balanced && level == o.priority)) {
      return;
    }
    // A job that this round has just placed counts as the newest.
    const auto created =
        record.running ? record.created_ns : std::numeric_limits<std::int64_t>::max();
    const auto share = queue == none ? 0 : victim_shares_[queue];
    candidates_.push_back({level, here, share, created, job});
  };
  for (const auto job : t_.nodes[nodes_.slots[node]].jobs) consider(job);
  newcomers_.visit(node, consider);
  return shared;
}

round_engine::victim_choice round_engine::pick_victims(const offer& o, std::uint32_t node) {
  const auto* need = t_.amounts(o.shape);
  victim_choice out;
  // The candidates are a heap, since few of many leave.
  const auto entitled = [&](const candidate& a, const candidate& b) { return more_entitled(a, b); };
  const auto goes_on = o.gang == none && rest_.node == node && rest_.priority == o.priority &&
                       rest_.position == nodes_.now();
  if (!goes_on) {
    out.shared = gather_candidates(o, node);
    std::make_heap(candidates_.begin(), candidates_.end(), entitled);
  }
  rest_ = {};
  victims_.clear();
  auto& room = victim_room_;
  room.assign(nodes_.free(node, 0), nodes_.free(node, 0) + nodes_.dims);
  const auto freed = [&](std::uint32_t job, auto visit) {
    for_fallen(job, [&](std::uint32_t each) {
      if (nodes_.node_of(each) == node) visit(t_.amounts(shape_of(each)));
    });
  };
  const auto falls = [&](std::uint32_t job) {
    const auto gang = t_.jobs[job].gang;
    return gang != none && std::any_of(victims_.begin(), victims_.end(), [&](std::uint32_t other) {
             return t_.jobs[other].gang == gang;
           });
  };
  while (!candidates_.empty() && !nodes_.fits(need, room.data())) {
    std::pop_heap(candidates_.begin(), candidates_.end(), entitled);
    const auto job = candidates_.back().job;
    candidates_.pop_back();
    // The job was noted twice.
    if (has_left(job) || (!victims_.empty() && victims_.back() == job)) continue;
    if (out.shared && falls(job)) continue;
    victims_.push_back(job);
    freed(job, [&](const std::int64_t* amounts) {
      for (std::uint32_t d = 0; d < nodes_.dims; ++d) room[d] += amounts[d];
    });
  }
  if (!nodes_.fits(need, room.data())) return out;
  const auto picked = victims_.size();
  spare_unneeded(nodes_, need, room, victims_, freed);
  const auto shared = out.shared;
  if (!shared && o.gang == none && victims_.size() == picked) rest_ = {node, o.priority, none, 0};
  out = {};
  out.node = node;
  out.level = cross_pool_priority;
  for (const auto job : victims_)
    for_fallen(job, [&](std::uint32_t each) {
      ++out.count;
      out.level = std::max(out.level, nodes_.bound_priority(each));
      out.share = std::max(out.share, victim_share(each));
    });
  out.shared = shared;
  return out;
}

}  // namespace argosy::scheduling::engine
