// SPDX-License-Identifier: Apache-2.0
// Reads flags that name a moment: as such, or by how long ago it was.
#pragma once

#include <cstdint>
#include <string>

#include "runtime/base/result.hpp"

namespace argosy::ctl {

/// The Unix time that the text of a flag names: "2h" before `now_ns`, "2026-11-20" or
/// "2026-11-20T15:04:05Z". 0 if it is empty. ec::invalid_argument names the flag.
[[nodiscard]] result<std::int64_t> moment_of(const std::string& text, const char* flag,
                                             std::int64_t now_ns);

}  // namespace argosy::ctl
