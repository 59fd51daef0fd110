// SPDX-License-Identifier: Apache-2.0
// The version of this program in words.
#pragma once

#include <string>

namespace argosy::ctl {

/// One line such as "argosyctl 0.1.0 4f2c9d01ab".
[[nodiscard]] std::string version_line();
[[nodiscard]] std::string program_version();

}  // namespace argosy::ctl
