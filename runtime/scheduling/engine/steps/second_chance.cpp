// SPDX-License-Identifier: Apache-2.0
#include "runtime/scheduling/engine/steps/second_chance.hpp"

#include <algorithm>
#include <vector>

namespace argosy::scheduling::engine {

namespace {

class second_chance {
 public:
  second_chance(world& w, books& sums, trial& under_way)
      : world_(w), t_(w.nodes.t), books_(sums), trial_(under_way), totals_(under_way.totals()) {}

  /// The jobs that there is room for, as far as it is known. Room on nodes and in the pool only
  /// shrinks here, so that jobs without room now will find none later.
  [[nodiscard]] std::vector<found_job> candidates(const decisions& made) const {
    std::vector<found_job> lost;
    for (const auto& e : made.evicted())
      if (world_.free.fits(t_.amounts(e.shape), e.node, 0) && !world_.bound.is_bound(e.job) &&
          t_.jobs[e.job].running)
        lost.push_back(e);
    const auto entitled = [&](const found_job& a, const found_job& b) {
      const auto x = world_.table.place_of(a.job);  // Jobs without a place come last.
      const auto y = world_.table.place_of(b.job);
      return x != y ? x < y : t_.jobs[a.job].id < t_.jobs[b.job].id;
    };
    std::sort(lost.begin(), lost.end(), entitled);
    return lost;
  }

  /// The job and its gang mates that were evicted with it.
  [[nodiscard]] std::vector<std::uint32_t> whole(std::uint32_t job) const {
    std::vector<std::uint32_t> jobs{job};
    const auto gang = t_.jobs[job].gang;
    if (gang == none) return jobs;
    for (const auto mate : t_.gangs[gang].members)
      if (mate != job && world_.bound.was_evicted(mate) && t_.jobs[mate].running &&
          !world_.bound.is_bound(mate))
        jobs.push_back(mate);
    return jobs;
  }

  /// Binds all of them, or none.
  [[nodiscard]] bool bring_back(const std::vector<std::uint32_t>& jobs) {
    trial_.begin();
    bool all = true;
    for (const auto job : jobs) {
      const auto node = world_.bound.node_of(job);
      if (totals_.is_open() && !world_.bound.holds_room(job))
        totals_.count(books_.of(job), shape_of(job), +1);
      all = all && world_.free.fits(t_.amounts(shape_of(job)), node, 0);
      if (!all) break;
      world_.bound.bind(job, shape_of(job), node, world_.bound.priority(job));
    }
    for (const auto job : jobs) books_.charge(books_.of(job), shape_of(job), +1, false);
    if (all && !books_.floating_lost() && !total_lost(jobs)) {
      trial_.commit();
      return true;
    }
    for (const auto job : jobs) books_.charge(books_.of(job), shape_of(job), -1, false);
    trial_.undo();
    return false;
  }

 private:
  [[nodiscard]] std::uint32_t shape_of(std::uint32_t job) const { return t_.jobs[job].shape; }
  /// Whether one of these jobs' queues now holds more than its limit of all classes and than
  /// before.
  [[nodiscard]] bool total_lost(const std::vector<std::uint32_t>& jobs) const {
    return totals_.is_open() && std::any_of(jobs.begin(), jobs.end(), [&](std::uint32_t job) {
             const auto queue = books_.of(job);
             return queue != none && books_.total_lost(queue, totals_.amounts(queue));
           });
  }

  world& world_;
  const tables& t_;
  books& books_;
  trial& trial_;
  holdings& totals_;
};

}  // namespace

void bring_back(world& w, books& sums, trial& under_way, decisions& noted,
                preemption_budget& budget) {
  if (!w.nodes.conf.return_room_only) return;
  second_chance chance(w, sums, under_way);
  for (const auto& e : chance.candidates(noted)) {
    if (w.bound.is_bound(e.job)) continue;
    const auto jobs = chance.whole(e.job);
    if (!chance.bring_back(jobs)) continue;
    for (const auto job : jobs) {
      const auto* why = noted.cause_of(job);
      if (why != nullptr && why->cause != preemption_cause::urgency) budget.take_back();
    }
    noted.bring_back(jobs.size());
  }
}

}  // namespace argosy::scheduling::engine
