// SPDX-License-Identifier: Apache-2.0
#include "runtime/scheduling/engine/steps/returning_order.hpp"

#include <algorithm>

#include "runtime/scheduling/engine/queues/contest.hpp"

namespace argosy::scheduling::engine {

std::vector<table_entry> line_up(const world& w, const books& sums, const evictions& evicted,
                                 std::size_t jobs, heads& admission) {
  const auto& conf = w.nodes.conf;
  const auto dims = w.nodes.t.dims;
  std::vector<std::int64_t> used(sums.queues.size() * dims);
  std::vector<const std::int64_t*> pointers;
  for (std::size_t q = 0; q < sums.queues.size(); ++q) {
    std::copy_n(sums.queues[q].used.data(), dims, used.data() + q * dims);
    pointers.push_back(used.data() + q * dims);
  }
  std::vector<table_entry> line;
  line.reserve(jobs);
  // When evicted and queued jobs stand in one order, the queued jobs that may start take turns as
  // well.
  contest_options options;
  options.with_queued = !conf.evicted_first;
  options.lookback = conf.max_lookback;
  options.admission = &admission;
  admission.begin_numbering(jobs != 0);
  contest streams(w.nodes, w.bound, sums, evicted.returning, pointers, options);
  while (line.size() < jobs) {
    const auto* g = streams.head();
    if (g == nullptr) break;
    const auto queue = streams.head_rank().queue;
    const auto key = admission.note_turn(streams.head_rank());
    auto* sum = used.data() + std::size_t{queue} * dims;
    for (const auto& o : g->offers)
      if (o.home != none)
        line.push_back(
            {o.job, o.shape, o.home, queue & 0x7fffffffu, 1, key, w.bound.priority(o.job)});
    for (std::uint32_t d = 0; d < dims; ++d) sum[d] += g->total[d];
    streams.advance();
  }
  admission.end_numbering();
  return line;
}

returning_order::returning_order(const tables& t, const books& sums,
                                 std::vector<table_entry>& line) {
  bool alike = true;
  bool gangs = false;
  for (const auto& entry : line) {
    alike = alike && entry.priority == line.front().priority;
    gangs = gangs || t.jobs[entry.job].gang != none;
  }
  // Whoever is bound at a higher priority is better entitled, whatever its turn.
  if (!alike)
    std::stable_sort(line.begin(), line.end(),
                     [](const auto& a, const auto& b) { return a.priority > b.priority; });
  for (std::uint32_t place = 0; place < line.size(); ++place) {
    if (place != 0 && line[place].priority == line[place - 1].priority) continue;
    priorities_.push_back(line[place].priority);
    begins_.push_back(place);
  }
  std::reverse(priorities_.begin(), priorities_.end());
  std::reverse(begins_.begin(), begins_.end());
  if (!gangs) return;
  for (std::uint32_t place = 0; place < line.size(); ++place) {
    const auto gang = t.jobs[line[place].job].gang;
    if (gang != none)
      losses_.add(gang, level_of_place(place), t.amounts(line[place].shape), t.dims);
  }
  losses_.close([&](const std::int64_t* amounts) { return sums.cost(amounts); });
}

}  // namespace argosy::scheduling::engine
