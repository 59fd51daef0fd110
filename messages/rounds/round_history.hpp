// SPDX-License-Identifier: Apache-2.0
// This file declares what the last round of each pool said, and from it why a job waits and what
// share each queue has. It is told of every round, and knows no actor.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "messages/native/coordinator.hpp"
#include "messages/native/round_report.hpp"
#include "messages/rounds/delta_fold.hpp"
#include "messages/rounds/pool_configs.hpp"
#include "messages/rounds/reason_text.hpp"
#include "messages/rounds/unplaced_kinds.hpp"
#include "runtime/scheduling/plan.hpp"

namespace argosy::rounds {

/// The last round of one pool.
class round_memory {
 public:
  void remember(const scheduling::plan& plan, const scheduling::snapshot& snapshot,
                std::uint64_t round, std::int64_t time_ns);

  /// Shapes have other numbers from now on; see delta_fold::settle().
  void renumber(const std::vector<scheduling::shape_id>& shapes) { unplaced_.renumber(shapes); }

  [[nodiscard]] const unplaced_kinds& unplaced() const noexcept { return unplaced_; }
  [[nodiscard]] std::uint64_t round() const noexcept { return round_; }
  [[nodiscard]] std::int64_t time_ns() const noexcept { return time_ns_; }
  [[nodiscard]] const native::queue_share* share(const model::queue_name& queue) const;
  [[nodiscard]] const std::map<model::queue_name, native::queue_share>& shares() const noexcept {
    return shares_;
  }

 private:
  std::uint64_t round_ = 0;
  std::int64_t time_ns_ = 0;
  unplaced_kinds unplaced_;
  std::map<model::queue_name, native::queue_share> shares_;  ///< The shares by queue.
};

/// Looks at all nodes of the pool in the facts, and writes there why the job can never run on them,
/// or what keeps it from running there now.
void look_at_nodes(const scheduling::snapshot& from, const ulid& job, pool_facts& facts);

class round_history {
 public:
  using config_ptr = pool_configs::config_ptr;

  /// `by_pool` has the pools with another configuration than `common`. One page of a list looks at
  /// no more than `node_looks_max` nodes of each pool; a node counts once for each kind of job.
  round_history(config_ptr common, std::map<std::string, config_ptr> by_pool,
                std::size_t node_looks_max = 1'000'000);

  /// Other configurations hold from now on. What rounds have said stays as it was said.
  void configure(config_ptr common, std::map<std::string, config_ptr> by_pool) {
    configs_ = {std::move(common), std::move(by_pool)};
  }
  [[nodiscard]] const pool_configs& configs() const noexcept { return configs_; }
  [[nodiscard]] const config_ptr& config_of(const model::pool_name& pool) const {
    return configs_.of(pool);
  }
  /// As pool_configs::pools().
  [[nodiscard]] std::vector<model::pool_name> pools(const delta_fold& fold) const {
    return configs_.pools(fold);
  }

  /// Forgets what rounds of all other pools said, since only these pools get rounds now.
  void keep_only(const std::vector<model::pool_name>& pools);
  /// Takes the plan of a round of the pool. `snapshot` is the one that the plan was made from.
  void decided(const model::pool_name& pool, const scheduling::plan& plan,
               const scheduling::snapshot& snapshot, std::uint64_t round, std::int64_t time_ns);
  /// Takes what delta_fold::settle() says of the numbers of shapes.
  void renumber(const std::vector<scheduling::shape_id>& shapes);
  /// Notes that the plan of a round of the pool was discarded.
  void discarded(const model::pool_name& pool, std::string why);

  /// Notes that rounds go on without the queue, as it does not answer; the sentence says so of its
  /// jobs. An empty one stands for a queue that answers again.
  void set_silent(const model::queue_name& queue, std::string why);

  /// Why the job waits. Looks at all nodes of all pools for it.
  [[nodiscard]] native::placement_report explain(const delta_fold& fold, const ulid& job) const;
  /// The short form for a page of a list. If too many nodes have been looked at already, a job is
  /// told that there is no room now, but not whether there ever can be, so that a page cannot keep
  /// other questions waiting.
  [[nodiscard]] std::vector<native::waiting_reason> reasons(const delta_fold& fold,
                                                            const std::vector<ulid>& jobs) const;

  /// What the last round of the pool said of a waiting job and those like it, or why rounds of the
  /// pool do not look at it; nothing if neither is known.
  [[nodiscard]] std::optional<scheduling::reason> code_in(const delta_fold& fold,
                                                          const model::pool_name& pool,
                                                          const ulid& job) const;
  /// The figures of the last round of the pool; null if there was none.
  [[nodiscard]] const native::pool_round* round_of(const model::pool_name& pool) const {
    const auto found = digests_.find(pool);
    return found == digests_.end() ? nullptr : &found->second;
  }
  /// The number of the last round of the pool; 0 if there was none.
  [[nodiscard]] std::uint64_t round_in(const model::pool_name& pool) const {
    const auto found = memory_.find(pool);
    return found == memory_.end() ? 0 : found->second.round();
  }

  /// What the last round of each pool with nodes did. `slowed` has the queues whose tokens come
  /// more slowly, `trends` the rounds before.
  [[nodiscard]] native::round_report_ptr report(const delta_fold& fold,
                                                std::map<model::queue_name, double> slowed,
                                                std::vector<native::round_trend> trends = {}) const;

  /// The shares of each queue that took part in the last round of a pool.
  [[nodiscard]] std::map<model::queue_name, native::pool_shares> shares() const;

 private:
  class impossibilities;

  [[nodiscard]] native::waiting_reason short_reason(const ulid& job, const delta_fold::job_key& key,
                                                    const std::vector<model::pool_name>& names,
                                                    impossibilities& never) const;
  /// The facts for which no node has to be looked at.
  [[nodiscard]] pool_facts facts_of(const delta_fold& fold, const model::pool_name& pool,
                                    const ulid& job, const delta_fold::job_key& key) const;

  pool_configs configs_;
  std::size_t node_looks_max_;
  std::map<model::pool_name, round_memory> memory_;  ///< The last rounds by pool.
  /// The last rounds for people, by pool.
  std::map<model::pool_name, native::pool_round> digests_;
  /// The reason that the jobs of a silent queue are told, by queue.
  std::map<model::queue_name, native::waiting_reason> silent_;
  /// Why the last plan was discarded, by pool.
  std::map<model::pool_name, std::string> discarded_;
};

}  // namespace argosy::rounds
