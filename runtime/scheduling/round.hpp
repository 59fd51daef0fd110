// SPDX-License-Identifier: Apache-2.0
// The scheduling round: it decides which queued jobs start where, and which running ones lose their
// place. It is pure and deterministic: the same snapshot, configuration and parameters give the
// same plan.
#pragma once

#include <cstdint>
#include <functional>
#include <limits>
#include <string>
#include <utility>
#include <vector>

#include "runtime/scheduling/config.hpp"
#include "runtime/scheduling/plan.hpp"
#include "runtime/scheduling/snapshot.hpp"

namespace argosy::scheduling {

/// What changes from round to round beside the snapshot.
struct round_params {
  std::string pool = "default";
  std::uint64_t seed = 0;
  std::int64_t round_time_ns = 0;
  /// The tokens in the buckets at the start of the round; infinite if the bursts are.
  double tokens = std::numeric_limits<double>::infinity();
  double preemption_tokens = std::numeric_limits<double>::infinity();
  /// The tokens of each queue; a queue that is not named has config::queue_burst.
  std::vector<std::pair<std::string, double>> queue_tokens;
  /// The tokens of each resource for all queues and for each queue, in the steps of the resource.
  /// A resource that is not named has its whole burst.
  std::vector<std::pair<std::string, double>> resource_tokens;
  std::vector<std::pair<std::string, std::vector<std::pair<std::string, double>>>>
      queue_resource_tokens;
  /// What short jobs of a queue that just ended still count for in the order of the queues.
  std::vector<std::pair<std::string, resource_list>> penalties;
  /// The decayed usage of each queue, for config::usage_priority; a queue that is not named has
  /// 0.5.
  std::vector<std::pair<std::string, double>> usage_priority;
  /// The executors that get no new jobs, in any order. Only worlds in SNAP1 and tests name any: the
  /// control plane marks the nodes of cordoned or silent clusters as unschedulable instead.
  std::vector<std::string> closed_executors;
  /// How many lots are drawn; 0: as many as it takes. What was drawn counts.
  std::uint64_t draw_limit = 0;
  /// Asked after each lot whether it was the last one, for whoever bounds the time of a round;
  /// empty: nobody does. The same round is decided again with plan::draw_limit and without this.
  std::function<bool()> draws_end{};
};

/// Decides one pool's round. `from` must be settled and built for `conf`'s resources and classes.
/// It never throws. When it fails, nothing is decided, and plan::error says why.
[[nodiscard]] plan schedule(const snapshot& from, const config& conf, const round_params& params);

}  // namespace argosy::scheduling
