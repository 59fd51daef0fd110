// SPDX-License-Identifier: Apache-2.0
#include "messages/rounds/reports/queue_report.hpp"

#include <fmt/format.h>

#include "messages/rounds/reports/report_words.hpp"

namespace argosy::rounds {

namespace {

std::string live_text(const native::queue_status& queue) {
  std::vector<std::string> parts;
  for (const auto& [state, jobs] : queue.live)
    if (jobs > 0) parts.push_back(fmt::format("{} {}", jobs, to_string(state)));
  return parts.empty() ? "no live jobs" : "jobs: " + listed(parts);
}

std::string fractions(const std::map<std::string, double>& of) {
  std::vector<std::string> parts;
  for (const auto& [resource, fraction] : of)
    parts.push_back(fmt::format("{:.4g}% of {}", 100 * fraction, resource));
  return listed(parts);
}

void tell_limits(const model::queue_settings& settings, std::string& out) {
  if (!settings.total_limit.empty())
    out += fmt::format("limit of all classes together: {} of a pool\n",
                       fractions(settings.total_limit));
  for (const auto& [name, limit] : settings.limits) {
    if (!limit.fraction.empty())
      out += fmt::format("limit of class {}: {} of a pool\n", name, fractions(limit.fraction));
    for (const auto& [pool, fraction] : limit.fraction_by_pool)
      if (!fraction.empty())
        out += fmt::format("limit of class {}: {} of pool {}\n", name, fractions(fraction), pool);
  }
}

void tell_pool(const model::queue_name& name, const native::pool_round& round,
               std::int32_t verbosity, std::int64_t now_ns, std::string& out) {
  if (verbosity > 0 || !round.discarded.empty()) out += round_line(round, now_ns) + "\n";
  const auto found = round.queues.find(name);
  if (found == round.queues.end()) {
    if (verbosity > 0) out += "  the queue has nothing here\n";
    return;
  }
  const auto& queue = found->second;
  if (queue.active) {
    out += share_line(round.pool, queue.share);
    out += fmt::format("; the last round started {} and preempted {}\n", queue.started,
                       queue.preempted);
  }
  if (verbosity > 0 && !queue.used.empty()) out += "  has " + listed(queue.used) + "\n";
  if (!queue.stops.empty()) out += "not started in pool " + round.pool + ":\n";
  for (const auto& stop : queue.stops) out += stop_lines(stop, "  ");
}

}  // namespace

std::string queue_report(const native::queue_status& queue, const native::round_report& rounds,
                         std::int32_t verbosity, std::int64_t now_ns) {
  const auto& settings = queue.settings;
  auto out = fmt::format("queue {}: priority factor {:.4g}, weight {:.4g}; {}\n", settings.name,
                         settings.priority_factor, 1 / settings.priority_factor, live_text(queue));
  if (settings.cordoned)
    out += "it is cordoned and starts no jobs; open it with: argosyctl queue update " +
           settings.name + " --uncordon\n";
  if (const auto by = rounds.slowed.find(settings.name); by != rounds.slowed.end())
    out +=
        fmt::format("it starts jobs {:.0f}% more slowly, since its runs fail\n", 100 * by->second);
  tell_limits(settings, out);
  for (const auto& round : rounds.pools) tell_pool(settings.name, round, verbosity, now_ns, out);
  if (rounds.pools.empty()) out += "no cluster has joined: there are no nodes\n";
  return out;
}

}  // namespace argosy::rounds
