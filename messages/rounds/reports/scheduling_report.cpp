// SPDX-License-Identifier: Apache-2.0
#include "messages/rounds/reports/scheduling_report.hpp"

#include <fmt/format.h>

#include "messages/rounds/reports/report_words.hpp"

namespace argosy::rounds {

namespace {

std::uint64_t stopped_in(const native::queue_round& queue) {
  std::uint64_t out = 0;
  for (const auto& stop : queue.stops) out += stop.jobs;
  return out;
}

void tell_queue(const std::string& name, const native::pool_round& round,
                const native::queue_round& queue, const report_wish& wish, std::string& out) {
  out += "  queue " + name + ": ";
  out += queue.active ? share_line(round.pool, queue.share) : "took no part in the round";
  out += fmt::format("; started {}, preempted {}\n", queue.started, queue.preempted);
  if (wish.verbosity > 1 && queue.active) {
    out += fmt::format("    weight {:.4g}\n", queue.weight);
    if (!queue.used.empty()) out += "    has " + listed(queue.used) + "\n";
  }
  for (const auto& stop : queue.stops) out += stop_lines(stop, "    ");
}

}  // namespace

std::string scheduling_report(const native::round_report& rounds, const report_wish& wish) {
  if (rounds.pools.empty()) return "no cluster has joined: there are no nodes\n";
  std::string out;
  for (const auto& round : rounds.pools) {
    out += round_line(round, wish.now_ns) + "\n";
    if (round.number == 0) continue;
    if (!round.used.empty()) out += "  in use: " + listed(round.used) + "\n";
    if (round.returned > 0)
      out += "  " + count_of(round.returned, "job") + " evicted for balance came back\n";
    std::uint64_t stopped = 0;
    for (const auto& [name, queue] : round.queues) stopped += stopped_in(queue);
    out += fmt::format("  {} took part or waited; {} got no place\n",
                       count_of(round.queues.size(), "queue"), count_of(stopped, "job"));
    for (const auto& [name, queue] : round.queues)
      if (wish.queue.empty() ? wish.verbosity > 0 : name == wish.queue)
        tell_queue(name, round, queue, wish, out);
    if (!wish.queue.empty() && !round.queues.contains(wish.queue))
      out += "  queue " + wish.queue + ": has nothing here\n";
  }
  for (const auto& [name, by] : rounds.slowed)
    if (wish.queue.empty() || name == wish.queue)
      out += fmt::format("queue {}: starts {:.0f}% more slowly, since its runs fail\n", name,
                         100 * by);
  return out;
}

}  // namespace argosy::rounds
