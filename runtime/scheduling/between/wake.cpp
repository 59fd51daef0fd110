// SPDX-License-Identifier: Apache-2.0
#include "runtime/scheduling/between/wake.hpp"

#include <algorithm>
#include <cmath>
#include <map>
#include <string>

namespace argosy::scheduling {

namespace {

/// Usage is looked at again when it may have moved by a sixty-fourth of its half-time.
constexpr std::int64_t steps_of_half_time = 64;
/// Usage counts as arrived when it is this close, relative to its own size, to the value that it
/// tends to.
constexpr double usage_tolerance = 1e-3;

/// The job met a limit that a later round lifts.
bool passes(reason code) {
  switch (code) {
    case reason::max_resources_per_round:
    case reason::global_rate_limit:
    case reason::gang_above_tokens:
    case reason::queue_rate_limit:
    case reason::gang_above_queue_tokens:
    case reason::round_time_limit:
    case reason::queue_time_limit:
    case reason::not_reached:
    case reason::resource_rate_limit:
    case reason::queue_resource_rate_limit:
    case reason::draw_time_limit:
      return true;
    default:
      return false;
  }
}

/// The job lacks a place that other jobs could be made to give up.
bool lacks_room(reason code) {
  switch (code) {
    case reason::job_does_not_fit:
    case reason::gang_does_not_fit:
    case reason::no_uniform_value:
    case reason::no_single_cluster:
    case reason::resource_limit:
      return true;
    default:
      return false;
  }
}

template <class Ask>
bool any_waits(const plan& decided, Ask ask) {
  const auto by_code = [&](const auto& entry) { return ask(entry.code); };
  return std::any_of(decided.refusals.begin(), decided.refusals.end(), by_code) ||
         std::any_of(decided.skips.begin(), decided.skips.end(), by_code);
}

bool waits_for_preemption_tokens(const config& conf, const round_params& params,
                                 const plan& decided) {
  const auto left = params.preemption_tokens - static_cast<double>(decided.preemption_tokens_used);
  return std::isfinite(conf.preemption_burst) && left < conf.preemption_burst &&
         !decided.refusals.empty();
}

/// Whether the usage priority of some queue still differs from what the queue uses.
bool usage_moves(const round_params& params, const plan& decided) {
  // The usage priority of each queue, and the value that it tends to.
  std::map<std::string, std::pair<double, double>> queues;
  const auto of = [&](const std::string& name) -> std::pair<double, double>& {
    return queues.try_emplace(name, usage_priority_floor, usage_priority_floor).first->second;
  };
  for (const auto& [name, priority] : params.usage_priority) of(name).first = priority;
  for (const auto& queue : decided.queues)
    if (!queue.guests) of(queue.name).second = std::max(usage_priority_floor, queue.usage_cores);
  return std::any_of(queues.begin(), queues.end(), [](const auto& entry) {
    const auto& [priority, limit] = entry.second;
    return std::abs(priority - limit) > usage_tolerance * limit;
  });
}

}  // namespace

std::optional<std::chrono::nanoseconds> wake_after(const config& conf, const round_params& params,
                                                   const plan& decided,
                                                   std::optional<std::int64_t> penalty_end_ns) {
  using std::chrono::nanoseconds;
  if (any_waits(decided, passes) || waits_for_preemption_tokens(conf, params, decided))
    return nanoseconds{0};
  // The rest of the reasons need another job to give way.
  if (!conf.evict_for_balance || conf.disable_fair_share_preemption ||
      !any_waits(decided, lacks_room))
    return {};
  if (decided.spared_by_draw > 0) return nanoseconds{0};
  std::optional<nanoseconds> after;
  const auto shares_move = conf.usage_priority &&
                           conf.selection == queue_selection::progressive_filling &&
                           usage_moves(params, decided);
  if (shares_move)
    after = nanoseconds{std::max<std::int64_t>(1, conf.usage_half_time_ns / steps_of_half_time)};
  for (const auto& moment : {penalty_end_ns, decided.of_age_ns}) {
    if (!moment) continue;
    const nanoseconds comes{std::max<std::int64_t>(0, *moment - params.round_time_ns)};
    after = after ? std::min(*after, comes) : comes;
  }
  return after;
}

}  // namespace argosy::scheduling
