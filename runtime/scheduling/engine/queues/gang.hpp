// SPDX-License-Identifier: Apache-2.0
// What queues offer: single jobs and gangs, which a round treats alike.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "runtime/scheduling/config.hpp"
#include "runtime/scheduling/tables.hpp"

namespace argosy::scheduling::engine {

/// A job on offer in a pass: a queued one, or an evicted one that may only go back home.
struct offer {
  std::uint32_t job = none;
  std::uint32_t shape = 0;
  std::uint32_t gang = none;
  std::uint32_t home = none;  ///< The node of an evicted job; `none` for a queued job.
  std::uint32_t members = 1;  ///< How many members of its gang must come.
  /// The priority at which an evicted job ran; the class priority of a queued one.
  std::int32_t run_priority = 0;
  // The members below are set when the job is placed.
  std::uint32_t kept_away = 0;  ///< One bit for each away type whose tolerations it keeps.
  std::int32_t priority = 0;    ///< The priority at which it is bound.
  std::int32_t reach = 0;  ///< The priority of the highest row in which it took the room of others.
  bool left_out = false;   ///< The gang starts without this member.
  bool roomiest = false;   ///< It takes the node with most room, if there is one for it.
};

/// Offers that are placed together. A job without a gang is a gang of one.
struct gang {
  std::vector<offer> offers;
  std::vector<std::int64_t> total;
  bool returning = false;  ///< The gang has only evicted jobs.
  std::int32_t priority = 0;
  // The members below are set when the gang is placed.
  std::vector<std::uint32_t> turns;  ///< The order of its members; empty: as they stand.
  std::size_t large = 0;             ///< How many of these are as large as the first one.
  bool counted = false;              ///< It may do without any members.

  /// The member whose turn is the n-th.
  [[nodiscard]] offer& member(std::size_t n) { return offers[turns.empty() ? n : turns[n]]; }
  [[nodiscard]] const offer& member(std::size_t n) const {
    return offers[turns.empty() ? n : turns[n]];
  }
};

/// Whether none of its jobs runs yet.
[[nodiscard]] inline bool is_new(const gang& g) {
  return std::all_of(g.offers.begin(), g.offers.end(),
                     [](const offer& o) { return o.home == none; });
}

/// How many of its jobs the gang cannot start without.
[[nodiscard]] inline std::size_t least_members(const gang& g, const tables& t, const config& conf) {
  const auto& first = g.offers.front();
  if (!conf.minimum_cardinality || first.gang == none || g.returning) return g.offers.size();
  const auto& declared = t.gang_terms[t.jobs[first.job].gang_terms];
  return std::min<std::size_t>(declared.minimum, g.offers.size());
}

/// Evicted jobs by dense queue, each list in the order of its queue.
using offer_lists = std::vector<std::vector<offer>>;

}  // namespace argosy::scheduling::engine
