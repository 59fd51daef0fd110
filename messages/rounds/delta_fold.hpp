// SPDX-License-Identifier: Apache-2.0
// Folds what QUEUEs and NODEs report as changed into the scheduling snapshot. No actor in it.
#pragma once

#include <absl/container/flat_hash_map.h>

#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "messages/native/cluster.hpp"
#include "messages/native/queue.hpp"
#include "runtime/scheduling/snapshot.hpp"

namespace argosy::rounds {

/// Owns the snapshot between rounds. While a round reads it, nothing may be folded.
class delta_fold {
 public:
  explicit delta_fold(std::shared_ptr<const scheduling::config> config);

  /// Errors name the entity, which then keeps its former state; the rest of the delta is folded.
  std::vector<error> fold(const native::queue_delta& delta);
  std::vector<error> fold(const native::node_delta& delta);
  void settle() { snapshot_->settle(); }

  [[nodiscard]] std::shared_ptr<const scheduling::snapshot> share() const { return snapshot_; }
  [[nodiscard]] const scheduling::snapshot& snapshot() const { return *snapshot_; }
  /// Pools that have nodes, in name order.
  [[nodiscard]] std::vector<std::string> pools() const;
  [[nodiscard]] bool has_jobs() const noexcept { return !shape_of_.empty(); }

  struct job_key {
    std::string queue;
    scheduling::shape_id shape = 0;
  };
  /// The queue and shape of a live job; nothing for others.
  [[nodiscard]] std::optional<job_key> find(const ulid& job) const;

 private:
  result<scheduling::shape_id> intern(const std::shared_ptr<const model::job_shape>& shape);
  result<void> upsert(const std::string& queue, const ledger::job_upsert& job);

  std::shared_ptr<scheduling::snapshot> snapshot_;
  /// Holding the shapes keeps their addresses theirs.
  absl::flat_hash_map<std::shared_ptr<const model::job_shape>, scheduling::shape_id> shapes_;
  struct job_place {
    std::uint32_t queue = 0;
    scheduling::shape_id shape = 0;
  };
  absl::flat_hash_map<ulid, job_place, std::hash<ulid>> shape_of_;
  std::vector<std::string> queue_names_;
  std::map<std::string, std::uint32_t> queue_numbers_;
  std::map<std::string, std::string> pool_of_node_;
};

}  // namespace argosy::rounds
