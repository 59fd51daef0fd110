// SPDX-License-Identifier: Apache-2.0
#include "messages/past/cause_tally.hpp"

#include <algorithm>
#include <set>
#include <vector>

namespace argosy::past {

/// Ends the spans that the entry contradicts, and returns the one that it goes on with. Only the
/// last few spans are open, since each pool has one at most.
cause_tally::cause_span* cause_tally::open_span(const cause_entry& entry) {
  cause_span* same = nullptr;
  for (auto& each : spans_) {
    if (!each.open) continue;
    const bool touched =
        each.first.pool == entry.pool || each.first.pool.empty() || entry.pool.empty();
    if (!touched) continue;
    if (each.first.pool == entry.pool && each.first.code == entry.code)
      same = &each;
    else
      each.open = false;
  }
  return same;
}

void cause_tally::add(const cause_entry& entry) {
  auto& cause = causes_[{entry.pool, entry.code}];
  cause.why = entry.why;
  cause.rounds += entry.rounds;
  auto* span = open_span(entry);
  if (span == nullptr) {
    spans_.push_back({entry});
    span = &spans_.back();
  }
  span->rounds += entry.rounds;
  span->last_round = std::max(span->last_round, entry.round + entry.rounds - 1);
  span->last_ns = std::max(span->last_ns, entry.began_ns);
  if (spans_.size() > spans_max_) spans_.pop_front();
}

void cause_tally::write(v1::JobHistory& out) const {
  std::set<std::string> pools;
  std::vector<const std::pair<const std::pair<std::string, std::string>, cause_count>*> sorted;
  for (const auto& each : causes_) {
    sorted.push_back(&each);
    if (!each.first.first.empty()) pools.insert(each.first.first);
  }
  std::ranges::stable_sort(sorted, std::ranges::greater{},
                           [](const auto* each) { return each->second.rounds; });
  std::string verdict;
  for (const auto* each : sorted) {
    const auto& [key, cause] = *each;
    auto& to = *out.add_causes();
    to.set_pool(key.first);
    to.set_code(key.second);
    to.set_why(cause.why);
    to.set_rounds(cause.rounds);
    verdict += (verdict.empty() ? "" : "; ") + std::to_string(cause.rounds) +
               (cause.rounds == 1 ? " round" : " rounds") +
               (key.first.empty() || pools.size() == 1 ? "" : " of pool " + key.first) + ": " +
               cause.why;
  }
  out.set_verdict(verdict);
  for (const auto& each : spans_) {
    auto& to = *out.add_spans();
    to.set_pool(each.first.pool);
    to.set_code(each.first.code);
    to.set_why(each.first.why);
    to.set_rounds(each.rounds);
    to.set_first_round(each.first.round);
    to.set_last_round(each.last_round);
    to.set_first_ns(each.first.began_ns);
    to.set_last_ns(each.last_ns);
  }
}

}  // namespace argosy::past
