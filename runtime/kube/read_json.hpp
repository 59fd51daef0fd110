// SPDX-License-Identifier: Apache-2.0
// Reads what an API server sends about objects, which is most of what an agent computes.
#pragma once

#include <nlohmann/json.hpp>
#include <string_view>

namespace argosy::kube {

/// The document without any `managedFields`: they are half of an object, and say who set which
/// field of it, which nobody here asks. A text that is not JSON gives a discarded value.
[[nodiscard]] nlohmann::json read_json(std::string_view text);

}  // namespace argosy::kube
