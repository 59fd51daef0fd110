// SPDX-License-Identifier: Apache-2.0
// Takes a plan apart: the part of each queue, and what is remembered to explain it. No actor in it.
#pragma once

#include <absl/container/flat_hash_map.h>

#include <map>
#include <memory>
#include <string>
#include <utility>

#include "messages/native/coordinator.hpp"
#include "messages/native/queue.hpp"
#include "messages/rounds/delta_fold.hpp"
#include "runtime/scheduling/explain.hpp"
#include "runtime/scheduling/plan.hpp"

namespace argosy::rounds {

/// What each queue is asked to do. `snapshot` is the one that the plan was made from.
[[nodiscard]] std::map<std::string, std::shared_ptr<ledger::place_request>> split_plan(
    const scheduling::plan& plan, const scheduling::snapshot& snapshot, const std::string& pool,
    std::uint64_t round);

/// The reasons that the last round of one pool gave.
class round_memory {
 public:
  void remember(const scheduling::plan& plan, const scheduling::snapshot& snapshot,
                std::uint64_t round, std::int64_t time_ns);

  /// Why the job got no place; nothing if this round did not say.
  [[nodiscard]] std::optional<scheduling::reason> find(const ulid& job,
                                                       const delta_fold::job_key& key) const;
  [[nodiscard]] std::uint64_t round() const noexcept { return round_; }
  [[nodiscard]] std::int64_t time_ns() const noexcept { return time_ns_; }
  [[nodiscard]] const std::map<std::string, native::queue_share>& shares() const noexcept {
    return shares_;
  }

 private:
  std::uint64_t round_ = 0;
  std::int64_t time_ns_ = 0;
  absl::flat_hash_map<ulid, scheduling::reason, std::hash<ulid>> refused_;
  std::map<std::pair<std::string, scheduling::shape_id>, scheduling::reason> skipped_;
  std::map<std::string, native::queue_share> shares_;
};

/// One sentence for the reason, and the counts of nodes by cause of exclusion, one a line.
[[nodiscard]] native::placement_report describe(scheduling::reason why,
                                                const scheduling::exclusions& counts,
                                                const scheduling::config& conf,
                                                const std::string& pool);

}  // namespace argosy::rounds
