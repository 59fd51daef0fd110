// SPDX-License-Identifier: Apache-2.0
#include "runtime/eventlog/rollover_core.hpp"

#include <algorithm>
#include <span>

namespace argosy::eventlog {

namespace {

/// Every generation but the first begins with a record that says so, and the first with a claim: a
/// generation that has no more is not ended, or an idle log would roll over for ever.
constexpr std::uint64_t records_min = 2;

bool is_due(const rollover_rules& rules, const generation_facts& now, std::int64_t now_ns) {
  if (now.records < records_min) return false;
  if (rules.age_max.count() > 0 && now_ns - now.created_ns >= rules.age_max.count()) return true;
  if (rules.bytes_max == 0) return false;
  // What older generations still hold leaves the new one less room than the rules may ask for.
  const bool half_full = now.bytes_max > 0 && now.bytes >= now.bytes_max / 2;
  return half_full || now.bytes >= rules.bytes_max;
}

}  // namespace

rollover_step next_step(const rollover_rules& rules, const rollover_state& seen,
                        std::int64_t now_ns) {
  using enum rollover_action;
  if (rules.off()) return {};
  // A newer one without records was left behind by a crash, and is taken by the next roll-over.
  const auto newest =
      std::ranges::find_if(seen.generations.rbegin(), seen.generations.rend(),
                           [](const auto& each) { return each.records > 0 && !each.given_up; });
  if (newest == seen.generations.rend()) return {};
  // Those of a later one are from before an operator restored a backup and gave up the rest.
  const std::span snapshots{
      seen.snapshots.begin(),
      std::ranges::upper_bound(seen.snapshots, newest->generation, {}, &snapshot_mark::generation)};
  if (newest->generation > model::log_generation{1} &&
      (snapshots.empty() || snapshots.back().generation < newest->generation))
    return {make_snapshot, newest->generation};
  if (snapshots.size() > snapshots_kept) return {drop_snapshot, snapshots.front().generation};
  if (snapshots.size() == snapshots_kept) {
    const auto covered = std::ranges::find_if(seen.generations, [&](const auto& each) {
      return each.generation < snapshots.front().generation && !each.given_up;
    });
    if (covered != seen.generations.end()) return {empty, covered->generation};
  }
  if (is_due(rules, *newest, now_ns)) return {roll_over, newest->generation};
  return {};
}

}  // namespace argosy::eventlog
