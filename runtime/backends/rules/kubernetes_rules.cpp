// SPDX-License-Identifier: Apache-2.0
#include "runtime/backends/rules/kubernetes_rules.hpp"

#include <array>

namespace argosy::backends {

namespace {

constexpr std::array<std::string_view, 2> placement_names{"selector", "nodeName"};

}  // namespace

std::span<const std::string_view> enum_names(pod_placement) {
  return placement_names;
}

}  // namespace argosy::backends
