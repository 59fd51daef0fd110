// SPDX-License-Identifier: Apache-2.0
// The pools in whose rounds the waiting jobs of a snapshot take part: those of which some node
// could ever take the job, and each other member of its gang. A job that no pool could take, or
// that is blocked for that, takes part in none. Pure; the delta_fold owns it.
#pragma once

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
  /// The job has come or has changed.
  void enters(scheduling::snapshot& in, const ulid& job);
  /// Puts waiting jobs into other pools where nodes or gangs have changed. The snapshot is settled.
  void settle(scheduling::snapshot& in);

  [[nodiscard]] bool is_eligible(const scheduling::snapshot& in, const ulid& job,
                                 const std::string& pool) const;

 private:
  void note_gang(const scheduling::snapshot& in, std::uint32_t job);
  void settle_gang(scheduling::snapshot& in, std::uint32_t gang);

  scheduling::eligible_pools eligible_;
  std::set<std::uint32_t> changed_gangs_;  ///< Their members may be in different pools.
};

}  // namespace argosy::rounds
