// SPDX-License-Identifier: Apache-2.0
#include "runtime/ledger/cluster/report_window.hpp"

#include <algorithm>
#include <utility>

namespace argosy::ledger {

void report_window::reset() {
  received_ = 0;
  acknowledged_ = 0;
  base_known_ = false;
  in_flight_.clear();
}

report_place report_window::take(std::uint64_t sequence) {
  if (!std::exchange(base_known_, true)) received_ = acknowledged_ = sequence - 1;
  if (sequence > received_ + 1) return report_place::behind_a_gap;
  if (sequence <= received_) return report_place::taken_before;
  received_ = sequence;
  return report_place::next;
}

void report_window::commit(const std::vector<std::uint64_t>& sequences) {
  for (const auto sequence : sequences) in_flight_.erase(sequence);
}

void report_window::lose(const std::vector<std::uint64_t>& sequences) {
  std::uint64_t lowest = received_ + 1;
  for (const auto sequence : sequences)
    if (in_flight_.contains(sequence)) lowest = std::min(lowest, sequence);
  received_ = lowest - 1;
  in_flight_.erase(in_flight_.lower_bound(lowest), in_flight_.end());
}

std::uint64_t report_window::committed() const noexcept {
  return in_flight_.empty() ? received_ : *in_flight_.begin() - 1;
}

}  // namespace argosy::ledger
