// SPDX-License-Identifier: Apache-2.0
// Writes the explanation of a job for people.
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

}  // namespace argosy::ctl
