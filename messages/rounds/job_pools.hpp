// SPDX-License-Identifier: Apache-2.0
// The pools in whose rounds the waiting jobs of a snapshot take part: those of which some node
// could ever take the job, and each other member of its gang. A job that no pool could take, or
// that is blocked for that, takes part in none. Pure; the delta_fold owns it.
#pragma once

#include <absl/container/btree_map.h>
#include <absl/container/flat_hash_map.h>

#include <cstdint>
#include <map>
#include <set>
#include <string>
#include <utility>

#include "runtime/base/ulid.hpp"
#include "runtime/scheduling/between/eligible_pools.hpp"
#include "runtime/scheduling/snapshot.hpp"

namespace argosy::rounds {

class job_pools {
 public:
  using config_ptr = scheduling::eligible_pools::config_ptr;

  /// A waiting job that takes part nowhere.
  struct unfit_entry {
    model::queue_name queue{};
    std::int64_t blocked_ns = 0;  ///< ledger::job_upsert::blocked_ns
  };

  job_pools(config_ptr common, std::map<std::string, config_ptr> by_pool)
      : eligible_(std::move(common), std::move(by_pool)) {}

  /// Other configurations hold from now on.
  void configure(config_ptr common, std::map<std::string, config_ptr> by_pool) {
    eligible_.configure(std::move(common), std::move(by_pool));
  }
  /// The snapshot was made compact, so that its numbers are others.
  void forget() { eligible_.forget(); }

  /// The node has come, changed or gone.
  void see_node(const scheduling::snapshot& in, const std::string& id);
  /// The job is about to change or to leave.
  void leaves(const scheduling::snapshot& in, const ulid& job);
  /// The job has come or has changed. It is blocked since this Unix time, or not if that is 0.
  void enters(scheduling::snapshot& in, const ulid& job, std::int64_t blocked_ns);
  /// The job has another shape.
  void changes(scheduling::snapshot& in, const ulid& job);
  /// Puts waiting jobs into other pools where nodes or gangs have changed. The snapshot is settled.
  void settle(scheduling::snapshot& in);

  [[nodiscard]] bool is_eligible(const scheduling::snapshot& in, const ulid& job,
                                 const model::pool_name& pool) const;
  /// Whether some pool could take the waiting job, or each of its gang, though it may be blocked.
  [[nodiscard]] bool could_run(const scheduling::snapshot& in, const ulid& job) const;
  [[nodiscard]] bool is_taken(scheduling::shape_id shape) const {
    return eligible_.is_taken(shape);
  }
  [[nodiscard]] const absl::btree_map<ulid, unfit_entry>& unfit() const { return unfit_; }
  [[nodiscard]] bool is_settled() const { return eligible_.is_settled() && changed_gangs_.empty(); }
  /// Whether blocked jobs have come or changed since the last call.
  [[nodiscard]] bool take_new_blocks() { return std::exchange(new_blocks_, false); }
  /// Grows whenever nodes change.
  [[nodiscard]] std::uint64_t node_version() const { return eligible_.version(); }
  /// Returns the gangs that have changed since the last call, by their numbers in the snapshot.
  [[nodiscard]] std::set<std::uint32_t> take_changed_gangs() {
    return std::exchange(told_gangs_, {});
  }

 private:
  void note_gang(const scheduling::snapshot& in, std::uint32_t job);
  void put(scheduling::snapshot& in, std::uint32_t job, std::uint16_t pool_set);
  void settle_gang(scheduling::snapshot& in, std::uint32_t gang);

  scheduling::eligible_pools eligible_;
  absl::btree_map<ulid, unfit_entry> unfit_;  ///< Findings go into the log in this order.
  std::set<std::uint32_t> changed_gangs_;     ///< Their members may be in different pools.
  std::set<std::uint32_t> told_gangs_;        ///< For take_changed_gangs().
  bool new_blocks_ = false;                   ///< For take_new_blocks().
};

}  // namespace argosy::rounds
