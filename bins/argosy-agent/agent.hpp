// SPDX-License-Identifier: Apache-2.0
// The life of an argosy-agent process: it opens the seams, finds its runs again, serves until a
// signal or a failure comes, and leaves the runs to their shims.
#pragma once

#include "bins/argosy-agent/options.hpp"

namespace argosy::agent {

/// Returns an exit code. Besides 0: 1 failure, 2 usage, 6 another process holds the data directory,
/// 7 this replica lost the lease.
[[nodiscard]] int serve(options chosen);

}  // namespace argosy::agent
