// SPDX-License-Identifier: Apache-2.0
// This file declares what may stand in the way of one job on one node, and the words for it.
#pragma once

#include <cstdint>
#include <string>

#include "runtime/scheduling/config.hpp"
#include "runtime/scheduling/terms.hpp"

namespace argosy::scheduling {

enum class obstacle_kind : std::uint8_t {
  quarantined,  ///< The node takes no new jobs for a while, since its machine failed runs.
  closed,       ///< The node takes no new jobs for another reason.
  overfull,     ///< The node takes no new jobs, since those there need more than it has.
  pool,         ///< The job may not run in the node's pool.
  unscheduled,  ///< The job asks for one of config::unscheduled_resources.
  taint,        ///< The job does not tolerate a taint.
  label,        ///< A label of the node selector, or of the gang, differs or is not there.
  affinity,     ///< No term of the required node affinity holds.
  too_small,    ///< The node has less of a resource in all than the job asks for.
  no_room,      ///< The node has enough of a resource, but too little of it is free.
};

/// Whether the obstacle keeps all jobs from the node, but for those that tolerate it.
[[nodiscard]] constexpr bool is_closure(obstacle_kind kind) noexcept {
  return kind <= obstacle_kind::overfull;
}

struct obstacle {
  obstacle_kind kind = obstacle_kind::closed;
  /// The job's pools, the taint, "label=value" or a label, the rule, or the resource; or empty.
  std::string subject{};
  std::string carried{};    ///< The value that the node has of the label; empty: it has none.
  std::int64_t need = 0;    ///< What the job asks for of the resource, in steps.
  std::int64_t have = 0;    ///< What of it the node has free, or in all if it is too small.
  std::int64_t in_all = 0;  ///< What of it the node has in all.
};

/// A clause about the job and the node: "it needs 4 cores, and the node has 1 core free of 8
/// cores".
[[nodiscard]] std::string sentence(const obstacle& what, const config& conf);
/// A clause about several jobs for which kind and subject are the same; `what` has the least need
/// of them: "3 jobs need more cpu than the 1 core that is free: 4 cores or more".
[[nodiscard]] std::string sentence(const obstacle& what, std::uint64_t jobs, const config& conf);

/// The rule as users write it: "zone In (a, b)", "gpu Exists".
[[nodiscard]] std::string text_of(const affinity_rule& rule);

}  // namespace argosy::scheduling
