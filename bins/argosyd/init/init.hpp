// SPDX-License-Identifier: Apache-2.0
// This file declares the command `argosyd init`.
#pragma once

#include "bins/argosyd/init/init_plan.hpp"

namespace argosy::argosyd {

/// Makes or changes a deployment in the folder and says how to start it. Returns the exit code.
[[nodiscard]] int init(init_request request);

}  // namespace argosy::argosyd
