// SPDX-License-Identifier: Apache-2.0
// Writes for people what one node is to a job, and which waiting jobs a node could run.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "messages/proto/argosy/explain.pb.h"

namespace argosy::ctl {

/// Lines that are ready to be escaped and printed: the verdict, all that stands in the way, and
/// what the job asks for beside what the node has free. `now_ns` is Unix time.
[[nodiscard]] std::vector<std::string> node_lines(const argosy::v1::JobOnNode& what,
                                                  std::int64_t now_ns);

/// The same for the node, the jobs that fit, and why the others do not.
[[nodiscard]] std::vector<std::string> node_lines(const argosy::v1::NodeExplanation& what,
                                                  std::int64_t now_ns);

}  // namespace argosy::ctl
