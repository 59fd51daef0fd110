// SPDX-License-Identifier: Apache-2.0
#include "runtime/model/lineage.hpp"

#include <algorithm>
#include <iterator>

namespace argosy::model {

void lineage::add(const claim_begin& next) {
  // A claim that nobody wrote anything under may have been given up with what was before it.
  auto added = next;
  while (!claims_.empty() && claims_.back().from >= next.from) {
    added.joins = added.joins || claims_.back().joins;
    claims_.pop_back();
  }
  claims_.push_back(added);
  if (claims_.size() <= claims_max) return;
  const bool joined = was_put_back();
  claims_.erase(claims_.begin(), claims_.end() - static_cast<std::ptrdiff_t>(claims_max));
  claims_.front().joins = claims_.front().joins || (joined && !was_put_back());
}

bool lineage::was_put_back() const noexcept {
  return std::ranges::any_of(claims_, &claim_begin::joins);
}

log_place lineage::place_at(log_position position) const {
  const auto behind = std::ranges::upper_bound(claims_, position, {}, &claim_begin::from);
  return {position, behind == claims_.begin() ? 0 : std::prev(behind)->claim};
}

}  // namespace argosy::model
