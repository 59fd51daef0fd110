// SPDX-License-Identifier: Apache-2.0
// This file declares `argosyd recover`, for the cases in which argosyd refuses to start because
// only an operator can say what may be lost.
#pragma once

#include "bins/argosyd/options.hpp"

namespace argosy::argosyd {

/// Shows what store and logs know. Without accept_loss it changes neither, and returns 0 if the
/// next start of argosyd goes on by itself and 3 if it would refuse. With it, makes store and log
/// agree.
[[nodiscard]] int recover_log(const options& chosen);

}  // namespace argosy::argosyd
