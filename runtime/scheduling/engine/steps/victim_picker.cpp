// SPDX-License-Identifier: Apache-2.0
#include "runtime/scheduling/engine/steps/victim_picker.hpp"

#include <algorithm>
#include <limits>

#include "runtime/scheduling/engine/steps/needed_victims.hpp"

namespace argosy::scheduling::engine {

victim_picker::victim_picker(const world& w, const books& sums, const trial& under_way,
                             const preemption_budget& budget)
    : world_(w), t_(w.nodes.t), books_(sums), trial_(under_way), budget_(budget) {
  for (const auto& book : sums.queues) {
    shares_.push_back(sums.cost(book.used_before.data()) / book.weight);
    richest_ = std::max(richest_, shares_.back());
  }
}

bool victim_picker::gang_may_leave(std::uint32_t job, std::int32_t below) const {
  // An evicted job of the same class leaves for balance, not for urgency, and the budget counts it.
  const auto balanced = !budget_.is_finite();
  const auto gang = t_.jobs[job].gang;
  const auto* loss = evicted_->losses().of(gang);
  const auto spared = loss != nullptr && evicted_->losses().spares(*loss);
  const auto may_leave = [&](std::uint32_t member) {
    const auto level = world_.bound.priority(member);
    if (world_.bound.holds_room(member))
      return level < below || (balanced && level == below && !spared);
    if (!world_.bound.is_bound(member)) return true;
    const auto& record = t_.jobs[member];
    return books_.of(member) != none && !world_.bound.immovable(member, record.shape) &&
           level < below;
  };
  if (gang == none) return may_leave(job);
  const auto& members = t_.gangs[gang].members;
  return std::all_of(members.begin(), members.end(), may_leave);
}

// Whether a has the better claim: the higher class first, then jobs that are not evicted, then
// those of the queue that has less.
bool victim_picker::more_entitled(const candidate& a, const candidate& b) const {
  if (a.at != b.at) return a.at > b.at;
  if (a.is_bound != b.is_bound) return a.is_bound;
  if (a.share != b.share) return a.share < b.share;
  if (a.created != b.created) return a.created < b.created;
  return t_.jobs[a.job].id < t_.jobs[b.job].id;
}

bool victim_picker::gather(const offer& o, std::uint32_t node) {
  candidates_.clear();
  bool shared = false;
  const auto balanced = !budget_.is_finite();
  const auto consider = [&](std::uint32_t job) {
    if (world_.bound.has_left(job)) return;
    const auto& record = t_.jobs[job];
    shared = shared || record.gang != none;
    // No job pushes out a member of its own gang.
    if (o.gang != none && record.gang == o.gang) return;
    const auto held = is_held(job);
    const auto here = world_.bound.is_bound(job) && world_.bound.node_of(job) == node;
    if (!held && !here) return;
    const auto level = world_.bound.priority(job);
    const auto queue = books_.of(job);
    if (record.gang != none) {
      if (!gang_may_leave(job, o.priority)) return;
    } else if (here) {
      if (level >= o.priority || queue == none || world_.bound.immovable(job, record.shape)) return;
    } else if (level >= o.priority && !(balanced && level == o.priority)) {
      return;
    }
    // A job that this round has just placed counts as the newest.
    const auto created =
        record.running ? record.created_ns : std::numeric_limits<std::int64_t>::max();
    const auto share = share_of(queue);
    candidates_.push_back({level, here, share, created, job});
  };
  for (const auto job : world_.nodes.record(node).jobs) consider(job);
  trial_.bound_new().visit(node, consider);
  return shared;
}

victim_choice victim_picker::pick(const offer& o, std::uint32_t node) {
  const auto* need = t_.amounts(o.shape);
  victim_choice out;
  // The candidates are a heap, since few of many leave.
  const auto entitled = [&](const candidate& a, const candidate& b) { return more_entitled(a, b); };
  const auto goes_on = o.gang == none && rest_.node == node && rest_.priority == o.priority &&
                       rest_.position == world_.free.now();
  if (!goes_on) {
    out.shared = gather(o, node);
    std::make_heap(candidates_.begin(), candidates_.end(), entitled);
  }
  rest_ = {};
  victims_.clear();
  auto& room = room_;
  room.assign(world_.free.free(node, 0), world_.free.free(node, 0) + world_.nodes.dims);
  const auto freed = [&](std::uint32_t job, auto visit) {
    for_fallen(job, [&](std::uint32_t each) {
      if (world_.bound.node_of(each) == node) visit(t_.amounts(t_.jobs[each].shape));
    });
  };
  const auto falls = [&](std::uint32_t job) {
    const auto gang = t_.jobs[job].gang;
    return gang != none && std::any_of(victims_.begin(), victims_.end(), [&](std::uint32_t other) {
             return t_.jobs[other].gang == gang;
           });
  };
  while (!candidates_.empty() && !world_.nodes.fits(need, room.data())) {
    std::pop_heap(candidates_.begin(), candidates_.end(), entitled);
    const auto job = candidates_.back().job;
    candidates_.pop_back();
    // The job was noted twice.
    if (world_.bound.has_left(job) || (!victims_.empty() && victims_.back() == job)) continue;
    if (out.shared && falls(job)) continue;
    victims_.push_back(job);
    freed(job, [&](const std::int64_t* amounts) {
      for (std::uint32_t d = 0; d < world_.nodes.dims; ++d) room[d] += amounts[d];
    });
  }
  if (!world_.nodes.fits(need, room.data())) return out;
  const auto picked = victims_.size();
  spare_unneeded(world_.nodes, need, room, victims_, freed);
  const auto shared = out.shared;
  if (!shared && o.gang == none && victims_.size() == picked) rest_ = {node, o.priority};
  out = {};
  out.node = node;
  out.level = cross_pool_priority;
  for (const auto job : victims_)
    for_fallen(job, [&](std::uint32_t each) {
      ++out.count;
      out.level = std::max(out.level, world_.bound.priority(each));
      out.share = std::max(out.share, share_of(books_.of(each)));
    });
  out.shared = shared;
  return out;
}

}  // namespace argosy::scheduling::engine
