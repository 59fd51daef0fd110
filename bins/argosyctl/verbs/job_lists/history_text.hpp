// SPDX-License-Identifier: Apache-2.0
// Writes for people how often which cause has kept a job from starting.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "messages/proto/argosy/explain.pb.h"

namespace argosy::ctl {

/// Lines that are ready to be escaped and printed: the counts by cause, then the last spans of
/// rounds with one cause, and which rounds were left out. `now_ns` is Unix time.
[[nodiscard]] std::vector<std::string> history_lines(const argosy::v1::JobHistory& what,
                                                     std::int64_t now_ns);

}  // namespace argosy::ctl
