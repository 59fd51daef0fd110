// SPDX-License-Identifier: Apache-2.0
// Why the nodes of a pool do not take a job: counts by cause, with what each cause is about.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "runtime/scheduling/config.hpp"
#include "runtime/scheduling/explain/internal_taints.hpp"
#include "runtime/scheduling/rows.hpp"

namespace argosy::scheduling {

class snapshot;

enum class exclusion_cause : std::uint8_t {
  unscheduled,  ///< The job asks for one of config::unscheduled_resources.
  pool_short,   ///< The pool has less of a floating resource than the request.
  quarantined,  ///< The node takes no new jobs for a while, since its machine failed runs.
  closed,       ///< The node takes no new jobs for another reason.
  taint,        ///< A taint is not tolerated.
  selector,     ///< A label of the node selector, or of the gang, differs or is not there.
  affinity,     ///< No term of the required node affinity holds.
  too_small,    ///< The node's total is below the request.
  no_room,      ///< The node matches, but has too little free.
  has_room,     ///< The node could take the job without preempting anything.
};

/// Nodes that are excluded for the same cause and subject. A node counts once: for the first cause
/// in the order above, and for the first taint, label or resource in the job's or the node's order.
struct exclusion {
  exclusion_cause cause = exclusion_cause::closed;
  std::string subject;      ///< "key=value:Effect", "label=value" or a resource's name, or empty.
  std::uint32_t nodes = 0;  ///< The number of these nodes, at least 1.
  /// The largest amount on any of the nodes (too_small, no_room), or the amount in the pool
  /// (pool_short), in steps.
  std::int64_t most = 0;
  std::int64_t need = 0;  ///< What the job asks for of that resource, in steps.
  bool passes = false;    ///< A taint that is_passing(), so that the node may take the job later.
};

struct exclusions {
  std::uint32_t nodes = 0;        ///< The number of the pool's nodes.
  std::vector<exclusion> causes;  ///< Most nodes first; their counts add up to `nodes`.
};

/// Adds up why single nodes are excluded.
class exclusion_tally {
 public:
  /// Adds one exclusion, which may stand for several nodes. One that stands for no node is not
  /// counted.
  void add(exclusion why);
  [[nodiscard]] exclusions take();

 private:
  std::map<std::pair<exclusion_cause, std::string>, exclusion> found_;
};

/// Judges every node of the pool for a job, without regard to its gang mates and to limits; nodes
/// without the label that its gang must share are excluded. It costs one walk over the pool's
/// nodes. The result is empty for an unknown pool or job, and while the snapshot is not settled.
[[nodiscard]] exclusions explain(const snapshot& from, const config& conf, std::string_view pool,
                                 const ulid& job);

/// A clause for people: "2 nodes have too little memory free: 12 GiB at most, and it needs 16 GiB".
[[nodiscard]] std::string sentence(const exclusion& why, const config& conf);

}  // namespace argosy::scheduling
