// SPDX-License-Identifier: Apache-2.0
// The processor and the system of this machine, by the names that Kubernetes and images have.
#pragma once

#include <algorithm>
#include <string>

#include "runtime/model/job.hpp"

namespace argosy::backends {

/// The name of the processor for which this program was built.
[[nodiscard]] inline std::string own_architecture() {
#if defined(__x86_64__)
  return "amd64";
#elif defined(__aarch64__)
  return "arm64";
#else
  return "unknown";
#endif
}

/// Adds the labels that every node has, unless the operator said something else.
inline void add_platform(model::label_list& labels) {
  const auto add = [&](const char* name, const std::string& value) {
    if (std::ranges::none_of(labels, [name](const auto& each) { return each.first == name; }))
      labels.emplace_back(name, value);
  };
  add("kubernetes.io/arch", own_architecture());
  add("kubernetes.io/os", "linux");
}

}  // namespace argosy::backends
