// SPDX-License-Identifier: Apache-2.0
// This file declares what rounds hand on to later rounds beside the snapshot: token buckets, the
// queues' decayed usage, and what short jobs still count for. It is pure and owned by whoever runs
// rounds. It is not in the log: a new leader starts with full buckets and forgets past usage.
#pragma once

#include <absl/container/flat_hash_set.h>
#include <absl/functional/function_ref.h>

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "runtime/base/ulid.hpp"
#include "runtime/scheduling/config.hpp"
#include "runtime/scheduling/plan.hpp"
#include "runtime/scheduling/round.hpp"

namespace argosy::scheduling {

/// Tokens that come at a rate, up to a burst. The bucket is full at first. Times are nanoseconds of
/// one clock. When that clock is set back, no tokens come for this step, and time goes on from the
/// new value.
class token_bucket {
 public:
  /// Brings the bucket up to `now_ns` and returns its tokens, below 0 if more were taken than were
  /// there. An infinite rate fills the bucket each time.
  double refill(double rate, double burst, std::int64_t now_ns);
  void take(double tokens) { level_ -= tokens; }

 private:
  bool opened_ = false;
  double level_ = 0;
  std::int64_t last_ns_ = 0;
};

/// The state between rounds. The global and the queues' buckets are shared by all pools; everything
/// else is kept for each pool.
class carry_over {
 public:
  /// Sets tokens, penalties and usage for a round of params.pool at params.round_time_ns.
  void open(const config& conf, round_params& params);
  /// After the round: takes off what its plan used. A plan that failed or was discarded changes
  /// nothing.
  void close(const config& conf, const round_params& params, const plan& decided);
  /// Pools other than `busy` have no round, so that their queues use nothing there from now on.
  /// `conf_of` gives a pool's configuration.
  void rest(const std::vector<std::string>& busy,
            absl::FunctionRef<const config&(const std::string&)> conf_of, std::int64_t now_ns);
  /// When the first of the penalties in force in the pool ends; nothing if there are none.
  [[nodiscard]] std::optional<std::int64_t> first_penalty_end(const std::string& pool) const;
  /// A job is about to leave the snapshot. If it started less than the cutoff ago and no plan
  /// preempted it, it goes on counting until the cutoff is over.
  void leaves(const snapshot& from, const config& conf, const ulid& job, std::int64_t now_ns);

 private:
  struct usage {
    double priority = usage_priority_floor;
    /// What the queue has used since the last round: queue_figures::usage_cores.
    double cores = 0;
  };
  struct penalty {
    std::string queue;
    std::int64_t until_ns = 0;
    resource_list amounts;
  };
  struct pool_state {
    token_bucket preemptions;
    std::int64_t usage_time_ns = 0;
    std::map<std::string, usage> usages;
    std::vector<penalty> penalties;
  };

  /// Brings each queue's usage priority up to this time.
  static void decay(const config& conf, pool_state& pool, std::int64_t now_ns);
  static void open_usage(const config& conf, round_params& params, pool_state& pool);
  static void open_penalties(round_params& params, pool_state& pool);

  token_bucket global_;
  std::map<std::string, token_bucket> queues_;
  std::map<std::string, pool_state> pools_;
  absl::flat_hash_set<ulid, std::hash<ulid>> preempted_;
};

}  // namespace argosy::scheduling
