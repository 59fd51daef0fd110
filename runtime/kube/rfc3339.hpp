// SPDX-License-Identifier: Apache-2.0
// The times of Kubernetes' objects. Pure.
#pragma once

#include <optional>
#include <string_view>

#include "runtime/base/clock.hpp"

namespace argosy::kube {

/// Reads a time such as "2026-01-31T12:00:00Z" or "2026-01-31T12:00:00.5+01:00", of the years from
/// 1700 to 2200. Nothing for any other text.
[[nodiscard]] std::optional<wall_time> read_rfc3339(std::string_view text);

}  // namespace argosy::kube
