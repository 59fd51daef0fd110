// SPDX-License-Identifier: Apache-2.0
#include "runtime/metrics/board.hpp"

#include <algorithm>
#include <iterator>

namespace argosy::metrics {

void board::clear() {
  const std::lock_guard lock{mutex_};
  probes_.clear();
}

family_list board::families() const {
  decltype(probes_) present;
  {
    const std::lock_guard lock{mutex_};
    present = probes_;
  }
  family_list out;
  for (const auto& [type, item] : present) {
    auto more = item->families();
    std::move(more.begin(), more.end(), std::back_inserter(out));
  }
  return out;
}

}  // namespace argosy::metrics
