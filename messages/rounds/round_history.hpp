// SPDX-License-Identifier: Apache-2.0
// What the last round of each pool said, and from it why a job waits and what share each queue has.
// Owned by the COORDINATOR, which tells it of every round; no actor in it.
#pragma once

#include <absl/container/flat_hash_map.h>

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "messages/native/coordinator.hpp"
#include "messages/rounds/delta_fold.hpp"
#include "messages/rounds/reason_text.hpp"
#include "runtime/scheduling/plan.hpp"

namespace argosy::rounds {

/// The last round of one pool.
class round_memory {
 public:
  void remember(const scheduling::plan& plan, const scheduling::snapshot& snapshot,
                std::uint64_t round, std::int64_t time_ns);

  /// Why the job got no place; nothing if this round did not say.
  [[nodiscard]] std::optional<scheduling::reason> find(const ulid& job,
                                                       const delta_fold::job_key& key) const;
  [[nodiscard]] std::uint64_t round() const noexcept { return round_; }
  [[nodiscard]] std::int64_t time_ns() const noexcept { return time_ns_; }
  [[nodiscard]] const native::queue_share* share(const std::string& queue) const;
  [[nodiscard]] const std::map<std::string, native::queue_share>& shares() const noexcept {
    return shares_;
  }

 private:
  std::uint64_t round_ = 0;
  std::int64_t time_ns_ = 0;
  absl::flat_hash_map<ulid, scheduling::reason, std::hash<ulid>> refused_;
  std::map<std::pair<std::string, scheduling::shape_id>, scheduling::reason> skipped_;
  std::map<std::string, native::queue_share> shares_;  ///< By queue.
};

class round_history {
 public:
  using config_ptr = std::shared_ptr<const scheduling::config>;

  /// `by_pool` names the pools that do not have the configuration `common`. For a page of a list so
  /// many nodes of a pool are looked at, each as often as there are kinds of jobs.
  round_history(config_ptr common, std::map<std::string, config_ptr> by_pool,
                std::size_t node_looks_max = 1'000'000);

  [[nodiscard]] const config_ptr& config_of(const std::string& pool) const;
  /// Pools that have nodes, of their own or of an away pool.
  [[nodiscard]] std::vector<std::string> pools(const delta_fold& fold) const;

  /// Only these pools get rounds now: what the others said is forgotten.
  void keep_only(const std::vector<std::string>& pools);
  /// A round of the pool decided. `snapshot` is the one that the plan was made from.
  void decided(const std::string& pool, const scheduling::plan& plan,
               const scheduling::snapshot& snapshot, std::uint64_t round, std::int64_t time_ns);
  /// A round of the pool came to nothing.
  void discarded(const std::string& pool, std::string why);

  /// Looks at all nodes of all pools, for this one job.
  [[nodiscard]] native::placement_report explain(const delta_fold& fold, const ulid& job) const;
  /// The short form for a page of a list. A job for which too many nodes had been looked at already
  /// is told that there is no room now, and not whether there ever can be, so that a page cannot
  /// keep the rounds waiting.
  [[nodiscard]] std::vector<native::waiting_reason> reasons(const delta_fold& fold,
                                                            const std::vector<ulid>& jobs) const;

  /// Of each queue that took part in the last round of a pool.
  [[nodiscard]] std::map<std::string, native::pool_shares> shares() const;

 private:
  class impossibilities;

  [[nodiscard]] std::optional<scheduling::reason> code_in(const std::string& pool, const ulid& job,
                                                          const delta_fold::job_key& key) const;
  [[nodiscard]] native::waiting_reason short_reason(const ulid& job, const delta_fold::job_key& key,
                                                    const std::vector<std::string>& names,
                                                    impossibilities& never) const;
  /// What needs no look at the nodes.
  [[nodiscard]] pool_facts facts_of(const std::string& pool, const ulid& job,
                                    const delta_fold::job_key& key) const;

  config_ptr common_;
  std::map<std::string, config_ptr> by_pool_;
  std::size_t node_looks_max_;
  std::map<std::string, round_memory> memory_;    ///< By pool.
  std::map<std::string, std::string> discarded_;  ///< By pool: why its last plan was.
};

}  // namespace argosy::rounds
