// SPDX-License-Identifier: Apache-2.0
#include "runtime/scheduling/engine/steps/trial.hpp"

#include <algorithm>

namespace argosy::scheduling::engine {

trial::trial(world& w, books& sums) : t_(w.nodes.t), world_(w), books_(sums) {
  if (books_.caps_totals()) totals_.open(books_, t_, {});
}

void trial::begin() {
  world_.bound.begin();
  world_.table.begin();
  world_.free.begin();
  held_.begin();
  totals_.begin();
  pushed_.clear();
}

void trial::undo() {
  world_.bound.undo();
  world_.table.undo();
  world_.free.undo();
  held_.undo();
  totals_.undo();
}

void trial::commit() {
  world_.bound.commit();
  world_.table.commit();
}

void trial::settle(decisions& noted, preemption_budget& budget) {
  commit();
  for (const auto& p : pushed_) {
    const auto queue = books_.of(p.job);
    if (std::find(lightened_.begin(), lightened_.end(), queue) == lightened_.end())
      lightened_.push_back(queue);
    if (p.was_bound) {
      const auto shape = shape_of(p.job);
      books_.charge(queue, shape, -1, false);
      noted.evict({p.job, shape, world_.bound.node_of(p.job)});
    }
    noted.note_cause(p.job, p.cause, p.preemptor);
  }
  budget.spend(pushed_for_balance());
}

void trial::take_lightened(std::vector<std::uint32_t>& into) {
  into.clear();
  into.swap(lightened_);  // The lists change their memory, so that turns allocate none.
}

void trial::bind(const offer& o, std::uint32_t node) {
  world_.bound.bind(o.job, o.shape, node, o.priority);
  if (o.home != none) {
    world_.table.strike(o.job);
    return;
  }
  count(o.job, o.shape, +1);
  if (newcomers_.is_open()) newcomers_.note(node, o.job);
}

void trial::push_out(std::uint32_t job, std::uint32_t preemptor, preemption_cause cause) {
  if (world_.bound.holds_room(job)) {
    if (!world_.table.strike(job)) return;
    world_.bound.drop_evicted(job, shape_of(job));
    count(job, shape_of(job), -1);
    pushed_.push_back({job, preemptor, cause});
  } else if (world_.bound.is_bound(job)) {
    world_.bound.drop_bound(job, shape_of(job));
    count(job, shape_of(job), -1);
    pushed_.push_back({job, preemptor, cause, true});
  }
}

void trial::push_out_gang(std::uint32_t job, std::uint32_t preemptor) {
  push_out(job, preemptor, preemption_cause::urgency);
  const auto gang = t_.jobs[job].gang;
  if (gang == none) return;
  for (const auto mate : t_.gangs[gang].members)
    push_out(mate, preemptor, preemption_cause::urgency);
}

void trial::drop_mates(std::uint32_t job, std::uint32_t preemptor) {
  const auto gang = t_.jobs[job].gang;
  if (gang == none) return;
  for (const auto mate : t_.gangs[gang].members)
    if (world_.bound.holds_room(mate)) push_out(mate, preemptor, preemption_cause::gang_mate);
}

std::size_t trial::pushed_for_balance() const {
  return static_cast<std::size_t>(
      std::count_if(pushed_.begin(), pushed_.end(),
                    [](const pushed_job& p) { return p.cause != preemption_cause::urgency; }));
}

void trial::give_up(std::uint32_t job, std::uint32_t shape) {
  world_.table.strike(job);
  world_.bound.drop_evicted(job, shape);
  count(job, shape, -1);
}

}  // namespace argosy::scheduling::engine
