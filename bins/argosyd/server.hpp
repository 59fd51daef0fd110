// SPDX-License-Identifier: Apache-2.0
// The life of an argosyd process: it opens the seams, recovers, runs the actors until a signal or a
// failure comes, and ends everything in order.
#pragma once

#include "bins/argosyd/options.hpp"

namespace argosy::argosyd {

/// Returns an exit code. Besides 0: 1 failure, 2 usage, 6 another process holds the data directory.
[[nodiscard]] int serve(const options& chosen);

}  // namespace argosy::argosyd
