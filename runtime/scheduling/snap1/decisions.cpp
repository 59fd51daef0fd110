// SPDX-License-Identifier: Apache-2.0
// This file defines how the decisions of a round on a SNAP1 world are written as lines of text.
#include <algorithm>

#include "runtime/base/check.hpp"
#include "runtime/scheduling/snap1.hpp"

namespace argosy::scheduling {

const std::string& snap1_world::job_name(const ulid& id) const {
  std::size_t rank = 0;
  for (std::size_t i = 8; i < 16; ++i) rank = (rank << 8) | id.bytes[i];
  ARGOSY_CHECK(rank >= 1 && rank <= job_names.size());
  return job_names[rank - 1];
}

std::string decisions(const snap1_world& world, const plan& decided) {
  const auto& from = world.jobs_and_nodes;
  std::vector<std::string> lines;
  lines.reserve(decided.leases.size() + decided.preemptions.size());
  for (const auto& lease : decided.leases)
    lines.push_back("S " + world.job_name(lease.job) + " " + std::string(from.node_id(lease.node)) +
                    " " + std::to_string(lease.priority) + "\n");
  for (const auto& lost : decided.preemptions)
    lines.push_back("P " + world.job_name(lost.job) + " " + std::string(from.node_id(lost.node)) +
                    "\n");
  std::sort(lines.begin(), lines.end());
  std::string text;
  for (const auto& row : lines) text += row;
  return text;
}

}  // namespace argosy::scheduling
