// SPDX-License-Identifier: Apache-2.0
// Writes for people what `explain` has found out: why a job waits, how often which cause has kept
// it from starting, what one node is to it, and which waiting jobs a node could run.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "messages/proto/argosy/explain.pb.h"

namespace argosy::ctl {

/// Lines that are ready to be escaped and printed: the job and its verdict, then what stands in its
/// way in each pool with counts and shares, what could help, and who is before it. Of a past round
/// the first line says which. `now_ns` is Unix time.
[[nodiscard]] std::vector<std::string> explanation_lines(const argosy::v1::JobExplanation& what,
                                                         std::int64_t now_ns);

/// Lines that are ready to be escaped and printed: the counts by cause, then the last spans of
/// rounds with one cause, and which rounds were left out. `now_ns` is Unix time.
[[nodiscard]] std::vector<std::string> history_lines(const argosy::v1::JobHistory& what,
                                                     std::int64_t now_ns);

/// Lines that are ready to be escaped and printed: the verdict, all that stands in the way, and
/// what the job asks for beside what the node has free. `now_ns` is Unix time.
[[nodiscard]] std::vector<std::string> node_lines(const argosy::v1::JobOnNode& what,
                                                  std::int64_t now_ns);

/// The same for the node, the jobs that fit, and why the others do not.
[[nodiscard]] std::vector<std::string> node_lines(const argosy::v1::NodeExplanation& what,
                                                  std::int64_t now_ns);

}  // namespace argosy::ctl
