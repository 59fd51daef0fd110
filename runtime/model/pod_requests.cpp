// SPDX-License-Identifier: Apache-2.0
#include "runtime/model/pod_requests.hpp"

#include "runtime/model/amounts.hpp"

namespace argosy::model {

namespace {

/// Makes each amount of `sum` at least that of `other`.
void raise(resource_list& sum, const resource_list& other) {
  for (const auto& [name, value] : other)
    if (const auto present = amount_of(sum, name); present < value)
      add(sum, {{name, value - present}});
}

}  // namespace

resource_list pod_requests(const std::vector<resource_list>& containers,
                           const std::vector<init_container>& init, const resource_list& overhead) {
  resource_list sum;
  for (const auto& each : containers) add(sum, each);
  resource_list beside;
  resource_list most;
  for (const auto& each : init) {
    auto now = beside;
    add(now, each.requests);
    raise(most, now);
    if (each.sidecar) beside = std::move(now);
  }
  add(sum, beside);
  raise(sum, most);
  add(sum, overhead);
  return sum;
}

}  // namespace argosy::model
