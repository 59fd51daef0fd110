// SPDX-License-Identifier: Apache-2.0
#include "runtime/backends/kubernetes/link/rights_watch.hpp"

#include <algorithm>

namespace argosy::backends {

namespace {

constexpr boot_time period = std::chrono::seconds{4};
/// The next questions come sooner until what is missing has been so for long enough to be told.
constexpr boot_time period_of_doubt = std::chrono::seconds{2};

bool is_missing_for(const std::optional<boot_time>& since, boot_time least, boot_time now) {
  return since && now - *since >= least;
}

}  // namespace

void rights_watch::add(const std::vector<needed_right>& rights) {
  for (const auto& each : rights) asked_.push_back({each});
  unknown_ += rights.size();
  due_ = boot_time{};
}

std::vector<std::size_t> rights_watch::tick(boot_time now) {
  std::vector<std::size_t> out;
  if (under_way_ > 0 || asked_.empty() || now < due_) return out;
  for (std::size_t i = 0; i < std::min(batch_max, asked_.size()); ++i) {
    out.push_back(next_);
    next_ = (next_ + 1) % asked_.size();
  }
  under_way_ = out.size();
  due_ = now;
  return out;
}

void rights_watch::answered(std::size_t place, const result<kube::answer>& answer, boot_time now) {
  auto& one = asked_[place];
  if (!std::exchange(one.known, true)) --unknown_;
  if (!says_missing(answer))
    one.missing_since.reset();
  else if (!one.missing_since)
    one.missing_since = now;
  if (--under_way_ > 0 || !are_known()) return;
  const bool doubts = std::ranges::any_of(asked_, [now](const auto& each) {
    return each.missing_since && !is_missing_for(each.missing_since, patience, now);
  });
  due_ = now + (doubts ? period_of_doubt : period);
}

boot_time rights_watch::next_due() const {
  return under_way_ > 0 || asked_.empty() ? boot_time::max() : due_;
}

std::optional<follow_gap> rights_watch::any_missing(boot_time least, boot_time now) const {
  std::vector<needed_right> missing;
  auto since = boot_time::max();
  for (const auto& each : asked_)
    if (is_missing_for(each.missing_since, least, now)) {
      missing.push_back(each.right);
      since = std::min(since, *each.missing_since);
    }
  if (missing.empty()) return std::nullopt;
  return follow_gap{since,
                    "denies the agent rights that it needs: " + to_text(missing) +
                        "; give them to its user, as the table of rights in config/KUBERNETES.md "
                        "has them",
                    false};
}

bool rights_watch::is_missing_everywhere(const needed_right& right, boot_time least,
                                         boot_time now) const {
  return std::ranges::all_of(asked_, [&](const auto& each) {
    const bool same = each.right.verb == right.verb && each.right.resource == right.resource &&
                      each.right.name_space.empty() == right.name_space.empty();
    return !same || is_missing_for(each.missing_since, least, now);
  });
}

std::vector<needed_right> rights_watch::missing(boot_time now) const {
  std::vector<needed_right> out;
  for (const auto& each : asked_)
    if (is_missing_for(each.missing_since, patience, now)) out.push_back(each.right);
  return out;
}

std::optional<follow_gap> rights_watch::find(boot_time least, boot_time now) const {
  const bool counts = std::ranges::any_of(
      asked_, [&](const auto& each) { return is_missing_everywhere(each.right, least, now); });
  return counts ? any_missing(least, now) : std::nullopt;
}

}  // namespace argosy::backends
