// SPDX-License-Identifier: Apache-2.0
// This file declares how a text becomes a part of a request's path.
#pragma once

#include <string>
#include <string_view>

namespace argosy::kube {

/// A value of a query: everything but letters, digits and "-._~" as %XX.
[[nodiscard]] std::string query_value(std::string_view text);

}  // namespace argosy::kube
