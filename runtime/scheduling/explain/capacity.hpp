// SPDX-License-Identifier: Apache-2.0
// What the nodes of a pool could take if nothing ran on them and all were open: tells a job that
// can never run from one that only has to wait. Reads the nodes alone, so that it is good for a
// snapshot that is not settled, too.
#pragma once

#include <cstdint>
#include <optional>
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
  std::string label;         ///< On nodes with one value of this label.
  bool label_read = true;    ///< Preset `current` reads the values of indexed labels alone.
  bool one_cluster = false;  ///< On nodes of one cluster.
};

/// What the configuration and the gang's own declaration ask of a job; nothing for a single one.
[[nodiscard]] togetherness togetherness_of(const snapshot& from, const config& conf,
                                           std::uint32_t job);

/// How many jobs have each shape.
using shape_counts = std::vector<std::pair<shape_id, std::uint32_t>>;

/// The members of a gang that wait, those that ask for most first.
[[nodiscard]] shape_counts waiting_members(const snapshot& from, std::uint32_t gang);

/// How many members of the job's gang that wait have to start together; 1 for a single job. Those
/// that run count as started.
[[nodiscard]] std::uint32_t least_together(const snapshot& from, const config& conf,
                                           std::uint32_t job);

/// Shape and gang of a job. Of jobs with equal ones all can ever run in a pool, or none; members
/// of a gang are equal.
using job_kind = std::pair<shape_id, std::uint32_t>;
/// Nothing for a job that the snapshot does not know.
[[nodiscard]] std::optional<job_kind> kind_of(const snapshot& from, const ulid& job);

/// Why a job can never run in a pool.
struct impossibility {
  /// Of the job itself, on empty nodes that are all open: `has_room` where it would fit, and no
  /// `closed` or `no_room`.
  exclusions counts;
  std::optional<gang_room> gang;  ///< Of a member; what fits now is not looked at.
};

/// Errs to the side of hope: away types and guests are taken as allowed, and taints that a cluster
/// sets for a time (node.kubernetes.io/...) as not there. A "no" holds until nodes, the
/// configuration or the job change. `from` and `conf` outlive it.
class pool_capacity {
 public:
  pool_capacity(const snapshot& from, const config& conf, std::string_view pool);

  /// The pool's nodes and those that other pools lend it.
  [[nodiscard]] std::size_t nodes() const noexcept { return slots_.size(); }
  /// Shapes with how many members have each: at most this many of the members could run at once.
  /// Exact where all have one shape. Costs a walk over the nodes for each shape.
  [[nodiscard]] std::uint64_t takes_together(const shape_counts& members,
                                             const togetherness& where) const;
  /// Nothing if the job could run here, and with it as many of its gang as have to start together;
  /// nor for a job that the snapshot does not know.
  [[nodiscard]] std::optional<impossibility> why_never(const ulid& job) const;

 private:
  class fitness;

  /// Some node could take a job of the shape.
  [[nodiscard]] bool takes(shape_id shape) const;
  [[nodiscard]] exclusions judge(shape_id shape) const;

  const snapshot& from_;
  const tables& t_;
  const config& conf_;
  std::string pool_;
  std::vector<std::uint32_t> slots_;  ///< In the snapshot's nodes.
};

}  // namespace argosy::scheduling
