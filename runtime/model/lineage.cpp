// SPDX-License-Identifier: Apache-2.0
#include "runtime/model/lineage.hpp"

#include <algorithm>
#include <iterator>

namespace argosy::model {

void lineage::add(const claim_begin& next) {
  // A claim that nobody wrote anything under may have been given up with what was before it.
  while (!claims_.empty() && claims_.back().from >= next.from) claims_.pop_back();
  claims_.push_back(next);
  if (claims_.size() > claims_max)
    claims_.erase(claims_.begin(), claims_.end() - static_cast<std::ptrdiff_t>(claims_max));
}

log_place lineage::place_at(std::uint64_t position) const {
  const auto behind = std::ranges::upper_bound(claims_, position, {}, &claim_begin::from);
  return {position, behind == claims_.begin() ? 0 : std::prev(behind)->claim};
}

}  // namespace argosy::model
