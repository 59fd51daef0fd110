// SPDX-License-Identifier: Apache-2.0
// What this program is.
#pragma once

#include <string>

namespace argosy::ctl {

/// "argosyctl 0.1.0 4f2c9d01ab"
[[nodiscard]] std::string version_line();
[[nodiscard]] std::string program_version();

}  // namespace argosy::ctl
