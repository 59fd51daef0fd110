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
#include "runtime/scheduling/rows.hpp"

namespace argosy::scheduling {

class snapshot;

enum class exclusion_cause : std::uint8_t {
  unscheduled,  ///< The job asks for one of config::unscheduled_resources.
  pool_short,   ///< The pool has less of a floating resource than the request.
  closed,       ///< The node takes no new jobs.
  taint,        ///< A taint is not tolerated.
  selector,     ///< A label of the node selector, or of the gang, differs or is not there.
  affinity,     ///< No term of the required node affinity holds.
  too_small,    ///< The node's total is below the request.
  no_room,      ///< It matches, but has too little free.
  has_room,     ///< It could take the job without preempting anything.
};

/// Nodes that are excluded by the same thing. A node counts once, for the first cause met in the
/// order above and the first taint, label or resource in the job's or the node's order.
struct exclusion {
  exclusion_cause cause = exclusion_cause::closed;
  std::string subject;      ///< "key=value:Effect", "label=value" or a resource's name, or empty.
  std::uint32_t nodes = 0;  ///< At least 1.
  /// too_small, no_room: the largest amount on any of them; pool_short: that of the pool. In steps.
  std::int64_t most = 0;
  std::int64_t need = 0;  ///< Of the same: what the job asks for, in steps.
};

struct exclusions {
  std::uint32_t nodes = 0;        ///< Of the pool.
  std::vector<exclusion> causes;  ///< Most nodes first; their counts add up to `nodes`.
};

/// Adds up single nodes.
class exclusion_tally {
 public:
  /// `why` may be of several nodes; of none it is not counted.
  void add(exclusion why);
  [[nodiscard]] exclusions take();

 private:
  std::map<std::pair<exclusion_cause, std::string>, exclusion> found_;
};

/// "key=value:Effect"
[[nodiscard]] std::string text_of(const taint& spot);

/// Judges every node of the pool for a job, its gang mates and limits aside; nodes without the
/// label that its gang must share are excluded. Costs one walk over the pool's nodes. Nothing for a
/// pool or job that the snapshot does not know, or while that is not settled.
[[nodiscard]] exclusions explain(const snapshot& from, const config& conf, std::string_view pool,
                                 const ulid& job);

/// A clause for people: "2 nodes have too little memory free: 12 GiB at most, and it needs 16 GiB".
[[nodiscard]] std::string sentence(const exclusion& why, const config& conf);

}  // namespace argosy::scheduling
