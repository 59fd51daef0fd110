// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>

namespace argosy::ctl {

/// Makes an id, a ULID, for something that the server shall know by it: an operation or a
/// submission. No two callers get the same one. `now_ns` is Unix time.
[[nodiscard]] std::string new_id(std::int64_t now_ns);

}  // namespace argosy::ctl
