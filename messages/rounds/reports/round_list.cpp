// SPDX-License-Identifier: Apache-2.0
#include "messages/rounds/reports/round_list.hpp"

#include <algorithm>
#include <map>
#include <string>
#include <utility>

namespace argosy::rounds {

namespace {

constexpr std::uint32_t told_queues_usual = 8;
constexpr std::uint32_t told_queues_max = 50;

using places = std::map<std::string, std::uint32_t>;

/// The queues of which shares are told, with their places in the answer: those that had most, or
/// else want most, in the last span.
places told_queues(const native::round_trend& trend, const v1::ListRoundsRequest& asked) {
  if (!asked.queue().empty()) return {{asked.queue(), 0}};
  places out;
  if (trend.spans.empty()) return out;
  auto last = trend.spans.back()->queues;
  std::ranges::stable_sort(last, std::ranges::greater{}, [](const auto& one) {
    return std::pair{one.share.actual, one.share.demand};
  });
  const auto wanted =
      asked.queues() == 0 ? told_queues_usual : std::min(asked.queues(), told_queues_max);
  for (const auto& one : last) {
    if (out.size() == wanted) break;
    out.emplace(*one.queue, static_cast<std::uint32_t>(out.size()));
  }
  return out;
}

void put(const native::round_span& from, const places& queues, v1::RoundSpan& to) {
  to.set_from_ns(from.from_ns);
  to.set_to_ns(from.to_ns);
  to.set_rounds(from.rounds);
  to.set_duration_ns(from.duration_ns);
  to.set_longest_ns(from.longest_ns);
  to.set_tried(from.tried);
  to.set_started(from.started);
  to.set_preempted(from.preempted);
  to.set_returned(from.returned);
  for (const auto& cause : from.kept) {
    auto& one = *to.add_kept();
    one.set_code(cause.code);
    one.set_jobs(cause.jobs);
  }
  for (const auto& moment : from.queues) {
    const auto place = queues.find(*moment.queue);
    if (place == queues.end()) continue;
    auto& one = *to.add_shares();
    one.set_queue(place->second);
    one.set_fair_share(moment.share.fair);
    one.set_actual_share(moment.share.actual);
    one.set_demand_share(moment.share.demand);
  }
}

}  // namespace

v1::ListRoundsResponse round_list(const native::round_report& from,
                                  const v1::ListRoundsRequest& asked) {
  v1::ListRoundsResponse out;
  for (const auto& round : from.pools) {
    if (!asked.pool().empty() && asked.pool() != round.pool) continue;
    auto& last = *out.add_last();
    last.set_pool(round.pool);
    last.set_number(round.number);
    last.set_time_ns(round.time_ns);
    last.set_started(round.started);
    last.set_preempted(round.preempted);
    last.set_discarded(round.discarded);
  }
  for (const auto& trend : from.trends) {
    if (!asked.pool().empty() && asked.pool() != trend.pool) continue;
    auto& pool = *out.add_pools();
    pool.set_pool(trend.pool);
    const auto queues = told_queues(trend, asked);
    for (std::size_t i = 0; i < queues.size(); ++i) pool.add_queues();
    for (const auto& [name, place] : queues) pool.set_queues(static_cast<int>(place), name);
    for (const auto& span : trend.spans)
      if (span->to_ns > asked.since_ns()) put(*span, queues, *pool.add_spans());
  }
  return out;
}

}  // namespace argosy::rounds
