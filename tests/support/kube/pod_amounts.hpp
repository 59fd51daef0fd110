// SPDX-License-Identifier: Apache-2.0
// What a pod's object asks for, as whole numbers: thousandths of a core, bytes, or pieces.
#pragma once

#include <cstdint>
#include <nlohmann/json.hpp>
#include <string>

namespace argosy::testing {

/// An amount as Kubernetes writes it, and back; 0 for one that cannot be read.
[[nodiscard]] std::int64_t amount_of(const std::string& resource, const std::string& text);
[[nodiscard]] std::string amount_text(const std::string& resource, std::int64_t amount);
/// The sum over the containers; `list` is "requests" or "limits".
[[nodiscard]] std::int64_t pod_amount(const nlohmann::json& pod, const std::string& list,
                                      const std::string& resource);
/// Whether the pod has succeeded or failed.
[[nodiscard]] bool has_ended(const nlohmann::json& pod);

}  // namespace argosy::testing
