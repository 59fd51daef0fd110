// SPDX-License-Identifier: Apache-2.0
#include "runtime/scheduling/explain/burst.hpp"

#include "runtime/scheduling/snapshot.hpp"
#include "runtime/scheduling/tables.hpp"

namespace argosy::scheduling {

std::optional<reason> exceeded_burst(const snapshot& from, const config& conf, const ulid& job) {
  const auto& t = from.data();
  const auto found = t.job_numbers.find(job);
  if (found == t.job_numbers.end() || t.jobs[found->second].gang == none) return {};
  const auto members =
      static_cast<double>(t.gang_terms[t.jobs[found->second].gang_terms].cardinality);
  if (conf.burst < members) return reason::gang_exceeds_burst;
  if (conf.queue_burst < members) return reason::gang_exceeds_queue_burst;
  return {};
}

}  // namespace argosy::scheduling
