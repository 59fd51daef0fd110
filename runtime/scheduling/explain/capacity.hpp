// SPDX-License-Identifier: Apache-2.0
// This file declares what the nodes of a pool could take if nothing ran on them and all were open.
// It tells a job that can never run from one that only has to wait. It reads only the nodes, so
// that the snapshot need not be settled.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "runtime/base/ulid.hpp"
#include "runtime/scheduling/config.hpp"
#include "runtime/scheduling/explain/exclusions.hpp"
#include "runtime/scheduling/explain/gang_room.hpp"
#include "runtime/scheduling/rows.hpp"

namespace argosy::scheduling {

class snapshot;
struct profile_record;
struct tables;

/// Where members of a gang have to be together; both empty: anywhere.
struct togetherness {
  std::string label;  ///< Members must be on nodes with one value of this label.
  /// Whether the round reads the label's values; preset `current` does so only for indexed labels.
  bool label_read = true;
  bool one_cluster = false;  ///< Members must be on nodes of one cluster.
};

/// What the configuration and the gang's own declaration ask of a job; empty for a job without a
/// gang.
[[nodiscard]] togetherness togetherness_of(const snapshot& from, const config& conf,
                                           std::uint32_t job);

/// How many jobs have each shape.
using shape_counts = std::vector<std::pair<shape_id, std::uint32_t>>;

/// The waiting members of a gang; the shapes that ask for most come first.
[[nodiscard]] shape_counts waiting_members(const snapshot& from, std::uint32_t gang);

/// How many of the waiting members of the job's gang have to start together; 1 for a job without a
/// gang. Members that run count as started.
[[nodiscard]] std::uint32_t least_together(const snapshot& from, const config& conf,
                                           std::uint32_t job);

/// The shape and gang of a job. If one job can never run in a pool, no job of the same kind can;
/// members of a gang with one shape are of one kind.
using job_kind = std::pair<shape_id, std::uint32_t>;
/// The kind of a job; nothing for a job that the snapshot does not know.
[[nodiscard]] std::optional<job_kind> kind_of(const snapshot& from, const ulid& job);

/// Why a job can never run in a pool.
struct impossibility {
  /// Why nodes exclude the job itself if they are all empty and open: `has_room` stands for nodes
  /// where it would fit, and `closed` and `no_room` do not occur.
  exclusions counts;
  /// The room for its gang, if it is a member; gang_room::fit_now is not computed.
  std::optional<gang_room> gang;
};

/// What the empty nodes of one pool could take. In doubt it says that a job could run: it takes
/// away types and guests as allowed, and ignores taints that a cluster sets for a time
/// (node.kubernetes.io/...). A "never" holds until the nodes, the configuration or the job change.
/// `from` and `conf` must outlive the object.
class pool_capacity {
 public:
  pool_capacity(const snapshot& from, const config& conf, std::string_view pool)
      : pool_capacity(from, from, conf, pool) {}
  /// Asks of jobs of another snapshot for the same resources and classes.
  pool_capacity(const snapshot& nodes, const snapshot& jobs, const config& conf,
                std::string_view pool);

  /// The number of the pool's nodes, those that other pools lend it included.
  [[nodiscard]] std::size_t nodes() const noexcept { return slots_.size(); }
  /// An upper bound of how many of these members could run at once, exact if all have one shape. It
  /// costs a walk over the nodes for each shape.
  [[nodiscard]] std::uint64_t takes_together(const shape_counts& members,
                                             const togetherness& where) const;
  /// Why the job can never run here. Nothing if it could, together with as many of its gang as have
  /// to start together, and nothing for a job that the snapshot does not know.
  [[nodiscard]] std::optional<impossibility> why_never(const ulid& job) const;
  /// Whether no node that could take the job by itself takes new jobs now. It says nothing of a
  /// member's gang, and false of a job that the snapshot does not know.
  [[nodiscard]] bool is_closed_to(const ulid& job) const;

  /// The first of these nodes, by their places in the snapshot, that could take a job of the shape
  /// in a round of the pool; `none` if no node could.
  [[nodiscard]] static std::uint32_t first_that_takes(const snapshot& from, const config& conf,
                                                      const std::string& pool, shape_id shape,
                                                      std::span<const std::uint32_t> slots);

 private:
  class fitness;

  /// Whether some node could take a job of the shape.
  [[nodiscard]] bool takes(shape_id shape) const;
  [[nodiscard]] exclusions judge(shape_id shape) const;

  const snapshot& jobs_from_;
  const tables& t_;  ///< Those of the nodes.
  const tables& jobs_;
  const config& conf_;
  std::string pool_;
  std::vector<std::uint32_t> slots_;  ///< The places of the pool's nodes among the snapshot's.
};

}  // namespace argosy::scheduling
