// SPDX-License-Identifier: Apache-2.0
#include "runtime/scheduling/engine/steps/second_chance.hpp"

#include <absl/container/flat_hash_map.h>

#include <algorithm>
#include <utility>
#include <vector>

#include "runtime/scheduling/engine/queues/turn_ranks.hpp"

namespace argosy::scheduling::engine {

namespace {

class second_chance {
 public:
  second_chance(world& w, books& sums, trial& under_way,
                const std::vector<untouched_jobs>& untouched)
      : world_(w),
        t_(w.nodes.t),
        books_(sums),
        trial_(under_way),
        totals_(under_way.totals()),
        untouched_(untouched) {}

  /// The jobs that there is room for, as far as it is known. Room on nodes and in the pool only
  /// shrinks here, so that jobs without room now will find none later.
  [[nodiscard]] std::vector<found_job> candidates(const decisions& made) const {
    std::vector<found_job> lost;
    for (const auto& e : made.evicted())
      if (world_.free.fits(t_.amounts(e.shape), e.node, 0) && !world_.bound.is_bound(e.job) &&
          t_.jobs[e.job].running)
        lost.push_back(e);
    std::vector<std::pair<entitlement, found_job>> ranked;
    const auto numbers = numbers_of_untouched(lost);
    for (const auto& job : lost) ranked.emplace_back(entitlement_of(job, numbers), job);
    std::sort(ranked.begin(), ranked.end(),
              [](const auto& a, const auto& b) { return a.first < b.first; });
    for (std::size_t i = 0; i < lost.size(); ++i) lost[i] = ranked[i].second;
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
  /// Who comes back first. Whoever runs at a higher priority is better entitled, then whoever would
  /// have come back earlier; jobs that were never to come back are last, in the order of ids.
  struct entitlement {
    bool unnumbered = true;
    std::int32_t priority = 0;  ///< With the sign changed.
    bool evicted = false;       ///< All of these would have come back after the untouched ones.
    turn_rank rank;             ///< That of an untouched job; those of one queue differ by number.
    std::size_t number = 0;     ///< Or the place in the table.
    ulid id;

    friend bool operator<(const entitlement& a, const entitlement& b) {
      if (a.unnumbered != b.unnumbered) return b.unnumbered;
      if (a.unnumbered) return a.id < b.id;
      if (a.priority != b.priority) return a.priority < b.priority;
      if (a.evicted != b.evicted) return b.evicted;
      if (a.rank < b.rank || b.rank < a.rank) return a.rank < b.rank;
      return a.number < b.number;
    }
  };
  struct untouched_number {
    turn_rank rank;
    std::size_t number = 0;
  };
  using untouched_numbers = absl::flat_hash_map<std::uint32_t, untouched_number>;

  /// The turns that those of these jobs would have had that are untouched ones.
  [[nodiscard]] untouched_numbers numbers_of_untouched(const std::vector<found_job>& jobs) const {
    untouched_numbers out;
    for (const auto& each : untouched_) {
      for (const auto& job : jobs)
        if (world_.table.place_of(job.job) == none && books_.of(job.job) == each.queue)
          out.try_emplace(job.job);
      number_untouched(each, out);
    }
    return out;
  }
  /// Fills in the numbers of the queue's jobs among these. Those that it would not have evicted
  /// keep the number 0.
  void number_untouched(const untouched_jobs& of, untouched_numbers& jobs) const {
    if (jobs.empty()) return;
    const auto& list = t_.queues[books_.queues[of.queue].slot].running;
    turn_ranks ranks(t_, world_.nodes.conf, books_);
    auto used = of.used;
    for (auto at = of.entries; at-- > 0;) {
      const auto& e = list[at];
      const auto found = jobs.find(e.job);
      if (of.eligible[t_.shapes[e.shape].class_index] == 0 || !runs_here(world_.nodes, e)) continue;
      const auto* need = t_.amounts(e.shape);
      for (std::uint32_t d = 0; d < t_.dims; ++d) used[d] -= need[d];
      if (found == jobs.end()) continue;
      const auto priority = t_.class_of(t_.jobs[e.job]).priority;
      found->second = {ranks.of(of.queue, used.data(), {need, priority, true}), at + 1};
    }
  }
  [[nodiscard]] entitlement entitlement_of(const found_job& job,
                                           const untouched_numbers& numbers) const {
    entitlement out;
    out.id = t_.jobs[job.job].id;
    // The table is in that order already.
    if (!untouched_.empty()) out.priority = -t_.jobs[job.job].run_priority;
    const auto place = world_.table.place_of(job.job);
    const auto untouched = numbers.find(job.job);
    if (place != none) {
      out.unnumbered = false;
      out.evicted = true;
      out.number = place;
    } else if (untouched != numbers.end() && untouched->second.number != 0) {
      out.unnumbered = false;
      out.rank = untouched->second.rank;
      out.number = untouched->second.number;
    }
    return out;
  }
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
  const std::vector<untouched_jobs>& untouched_;
};

}  // namespace

void bring_back(world& w, books& sums, trial& under_way, decisions& noted,
                preemption_budget& budget, const std::vector<untouched_jobs>& untouched) {
  if (!w.nodes.conf.return_room_only) return;
  second_chance chance(w, sums, under_way, untouched);
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
