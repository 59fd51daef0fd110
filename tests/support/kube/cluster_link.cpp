// SPDX-License-Identifier: Apache-2.0
#include "tests/support/kube/cluster_link.hpp"

#include <algorithm>
#include <utility>

namespace argosy::testing {

std::uint64_t cluster_link::disturb(link_rule rule) {
  const std::lock_guard guard{mutex_};
  rules_.emplace(++last_, std::move(rule));
  return last_;
}

void cluster_link::mend(std::uint64_t rule) {
  const std::lock_guard guard{mutex_};
  rules_.erase(rule);
  changed_.notify_all();
}

void cluster_link::mend() {
  const std::lock_guard guard{mutex_};
  rules_.clear();
  changed_.notify_all();
}

void cluster_link::end() {
  const std::lock_guard guard{mutex_};
  ended_ = true;
  changed_.notify_all();
}

bool cluster_link::has(const kube_request& what, link_fault fault) const {
  return std::ranges::any_of(rules_, [&](const auto& each) {
    return each.second.fault == fault && fits(what, each.second.verb, each.second.part);
  });
}

bool cluster_link::carry(const kube_request& what, link_fault hold, link_fault drop) {
  std::unique_lock guard{mutex_};
  changed_.wait(guard, [&] { return ended_ || !has(what, hold); });
  return !ended_ && !has(what, drop);
}

bool cluster_link::carry_request(const kube_request& what) {
  return carry(what, link_fault::hold_request, link_fault::drop_request);
}

bool cluster_link::carry_answer(const kube_request& what) {
  {
    std::unique_lock guard{mutex_};
    std::chrono::milliseconds delay{0};
    for (const auto& [number, rule] : rules_)
      if (fits(what, rule.verb, rule.part)) delay = std::max(delay, rule.delay);
    changed_.wait_for(guard, delay, [this] { return ended_; });
  }
  return carry(what, link_fault::hold_answer, link_fault::drop_answer);
}

}  // namespace argosy::testing
