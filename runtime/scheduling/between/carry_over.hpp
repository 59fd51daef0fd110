// SPDX-License-Identifier: Apache-2.0
// This file declares what rounds hand on to later rounds beside the snapshot: token buckets, the
// queues' decayed usage, and what short jobs still count for. It is pure and owned by whoever runs
// rounds. Its owner logs what take_changes() returns with each round, so that a later leader goes
// on with the same.
#pragma once

#include <absl/container/flat_hash_set.h>
#include <absl/functional/function_ref.h>

#include <cmath>
#include <compare>
#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "runtime/base/ulid.hpp"
#include "runtime/model/event.hpp"
#include "runtime/scheduling/between/token_bucket.hpp"
#include "runtime/scheduling/config.hpp"
#include "runtime/scheduling/plan.hpp"
#include "runtime/scheduling/round.hpp"

namespace argosy::scheduling {

/// A record of a round holds at most so many changes; the rest comes with later rounds.
inline constexpr std::size_t carried_changes_max = 10'000;

/// The state between rounds. The global and the queues' buckets are shared by all pools; everything
/// else is kept for each pool. Between two changes every value follows from time alone, so that it
/// need not be logged while nothing but time passes.
class carry_over {
 public:
  /// From now on the tokens of these queues come more slowly, by so much, 0..1, and those of all
  /// others at their full rate.
  void slow(const config& conf, const std::map<std::string, double>& by, std::int64_t now_ns);
  /// Sets tokens, penalties and usage for a round of params.pool at params.round_time_ns.
  void open(const config& conf, round_params& params);
  /// After the round: takes off what its plan used. A plan that failed or was discarded changes
  /// nothing.
  void close(const config& conf, const round_params& params, const plan& decided);
  /// Pools other than `busy` have no round, so that their queues use nothing there from now on.
  /// `conf_of` gives a pool's configuration.
  void rest(const std::vector<std::string>& busy,
            absl::FunctionRef<const config&(const std::string&)> conf_of, std::int64_t now_ns);
  /// Begins a cycle, and returns the pools in the order in which their rounds are to be decided:
  /// first the one after that which was the first to take of tokens that pools share in the last
  /// cycle in which one did. Tokens that came back meanwhile are for the others, and are no turn.
  [[nodiscard]] std::vector<std::string> in_turn(std::vector<std::string> pools);
  /// When the first of the penalties in force in the pool ends; nothing if there are none.
  [[nodiscard]] std::optional<std::int64_t> first_penalty_end(const std::string& pool) const;
  /// A job is about to leave the snapshot. If it started less than the cutoff ago and no plan
  /// preempted it, it goes on counting until the cutoff is over.
  void leaves(const snapshot& from, const config& conf, const ulid& job, std::int64_t now_ns);

  /// Returns the entries that have changed since they were returned last, but no more than
  /// `count_max`; the others come with the next call.
  [[nodiscard]] std::vector<model::carried_entry> take_changes(
      std::size_t count_max = carried_changes_max);
  /// Takes an entry that take_changes() of an earlier owner returned. Each must be the last of its
  /// key; those that are gone are passed over.
  void restore(const model::carried_entry& entry);

 private:
  struct usage {
    double priority = usage_priority_floor;  ///< The usage priority at `since_ns`.
    /// The cores that the queue uses since then, queue_figures::usage_cores.
    double cores = 0;
    std::int64_t since_ns = 0;

    [[nodiscard]] double at(const config& conf, std::int64_t now_ns) const;
  };
  struct queue_bucket {
    token_bucket tokens;
    /// The part, 0..1, by which its tokens have come more slowly since they were changed last.
    double slowed = 0;

    double refill(double rate, double burst, std::int64_t now_ns) {
      // Tokens without end cannot come more slowly.
      return tokens.refill(std::isinf(rate) ? rate : rate * (1 - slowed), burst, now_ns);
    }
  };
  struct penalty {
    std::string queue;
    std::int64_t until_ns = 0;
    resource_list amounts;
  };
  struct pool_state {
    token_bucket preemptions;
    std::map<std::string, usage> usages;
    std::map<ulid, penalty> penalties;
  };
  /// Names one entry, as model::carried_entry has it.
  struct key {
    model::carried_entry::kind what;
    std::string pool{};
    std::string name{};
    ulid job{};
    std::string resource{};

    auto operator<=>(const key&) const = default;
  };

  [[nodiscard]] double slowed_of(const std::string& queue) const;
  void slow_resources(const config& conf, std::int64_t now_ns);
  void open_resources(const config& conf, round_params& params);
  /// Returns whether any were taken.
  bool close_resources(const config& conf, std::int64_t now_ns, const plan& decided);
  void open_usage(const config& conf, round_params& params, pool_state& pool);
  void open_penalties(round_params& params, pool_state& pool);
  void use(const config& conf, const std::string& pool, const std::string& queue, double cores,
           std::int64_t now_ns);
  [[nodiscard]] model::carried_entry entry_of(const key& which) const;

  token_bucket global_;
  std::map<std::string, queue_bucket> queues_;
  std::map<std::string, token_bucket> resources_;  ///< By resource; tokens are its steps.
  /// By queue and resource.
  std::map<std::pair<std::string, std::string>, queue_bucket> queue_resources_;
  std::map<std::string, double> slowed_;  ///< The queues of the last slow().
  std::map<std::string, pool_state> pools_;
  std::string first_taker_;  ///< The pool that was the first in a cycle to take of shared tokens.
  bool has_taker_ = false;   ///< A pool has taken of shared tokens in this cycle.
  absl::flat_hash_set<ulid, std::hash<ulid>> preempted_;
  std::set<key> changed_;
};

}  // namespace argosy::scheduling
