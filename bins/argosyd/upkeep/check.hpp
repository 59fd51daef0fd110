// SPDX-License-Identifier: Apache-2.0
// This file declares `argosyd check`, which reads the store and the log and changes nothing.
#pragma once

#include "bins/argosyd/options.hpp"

namespace argosy::argosyd {

/// The exit code of a command that found something which an operator has to decide or mend.
inline constexpr int found_code = 3;

/// Prints what was looked at and each fault with its fix. Returns 0 if all is sound, found_code if
/// not, and another code if the check could not be made. May run beside an argosyd that uses the
/// store: it then sees what was committed when it began.
[[nodiscard]] int check_store_and_log(const options& chosen);

}  // namespace argosy::argosyd
