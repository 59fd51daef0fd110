// SPDX-License-Identifier: Apache-2.0
#include "runtime/backends/kubernetes/trouble/container_ends.hpp"

#include "runtime/base/text.hpp"

namespace argosy::backends {

std::vector<model::container_end> ends_of(const std::vector<ended_container>& ended) {
  constexpr std::size_t text_max = 1000;
  std::vector<model::container_end> out;
  for (const auto& each : ended) {
    if ((each.is_init && each.exit_code == 0) || out.size() == model::container_ends_max) continue;
    out.push_back({each.name, static_cast<std::int32_t>(each.exit_code), each.reason,
                   std::string{cut_to_size(each.message, text_max)}});
  }
  return out;
}

}  // namespace argosy::backends
