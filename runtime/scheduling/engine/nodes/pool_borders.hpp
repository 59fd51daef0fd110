// SPDX-License-Identifier: Apache-2.0
// The pool of a round beside the other pools: whose nodes it uses, and how jobs of others count
// there. Guests count in a row below all others and may be pushed out; strangers only take room. It
// does not change in a round.
#pragma once

#include <algorithm>
#include <cstdint>
#include <vector>

#include "runtime/scheduling/engine/nodes/row_set.hpp"
#include "runtime/scheduling/tables.hpp"

namespace argosy::scheduling::engine {

class pool_borders {
 public:
  pool_borders(const tables& t, const config& conf, std::uint32_t pool);

  /// The number of the pool.
  [[nodiscard]] std::uint32_t pool() const { return pool_; }
  /// Whether nodes of the pool with this number are used here.
  [[nodiscard]] bool lends(std::uint32_t pool) const {
    return std::find(lending_.begin(), lending_.end(), pool) != lending_.end();
  }
  /// Whether nodes may have jobs of other pools.
  [[nodiscard]] bool mixed() const { return mixed_; }
  /// Whether the running job is of another pool that may use these nodes.
  [[nodiscard]] bool is_guest(const job_record& job) const {
    return job.running && t_.nodes[job.node].pool == pool_ &&
           std::find(guest_pools_.begin(), guest_pools_.end(), job.run_pool) != guest_pools_.end();
  }
  /// Whether the job is of another pool and no guest, so that it only takes room.
  [[nodiscard]] bool is_stranger(const job_record& job) const {
    return mixed_ && job.run_pool != pool_ && !is_guest(job);
  }
  /// The priority at which a guest runs here.
  [[nodiscard]] std::int32_t guest_priority(const job_record& job) const {
    return conf_.cross_pool_jobs_first ? cross_pool_priority : job.run_priority;
  }

 private:
  const tables& t_;
  const config& conf_;
  std::uint32_t pool_;
  bool mixed_;
  std::vector<std::uint32_t> lending_;  ///< The pools whose nodes are used here, this one included.
  std::vector<std::uint32_t> guest_pools_;
};

}  // namespace argosy::scheduling::engine
