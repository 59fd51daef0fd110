// SPDX-License-Identifier: Apache-2.0
// This file tells gangs that no bucket of tokens will ever hold enough for.
#pragma once

#include <optional>

#include "runtime/base/ulid.hpp"
#include "runtime/scheduling/config.hpp"
#include "runtime/scheduling/plan.hpp"

namespace argosy::scheduling {

class snapshot;

/// The code of the burst that the job's gang exceeds; nothing if there is none. Whatever the last
/// round said of such a job, it never starts.
[[nodiscard]] std::optional<reason> exceeded_burst(const snapshot& from, const config& conf,
                                                   const ulid& job);

}  // namespace argosy::scheduling
