// SPDX-License-Identifier: Apache-2.0
#include "runtime/ledger/gang_core.hpp"

#include <algorithm>

namespace argosy::ledger {

model::gang_info gang_sizes(const model::gang_info& declared, std::size_t live, bool settled) {
  auto sizes = declared;
  if (settled) sizes.cardinality = static_cast<std::uint32_t>(live);
  sizes.minimum_cardinality =
      std::clamp<std::uint32_t>(declared.minimum_cardinality, 1, std::max(sizes.cardinality, 1U));
  return sizes;
}

bool gang_may_start(const model::gang_info& sizes, std::size_t waiting,
                    std::size_t placed) noexcept {
  return waiting == sizes.cardinality && placed >= sizes.minimum_cardinality && placed <= waiting;
}

std::string to_string(const gang_wait& wait) {
  auto text = std::to_string(wait.live) + " of the " + std::to_string(wait.cardinality) +
              " members of its gang are there; it starts when all are";
  if (wait.left_ns < 0) return text;
  const auto seconds = (wait.left_ns + 999'999'999) / 1'000'000'000;
  text += ". If no other is submitted within " +
          (seconds < 120 ? std::to_string(seconds) + " s"
                         : std::to_string((seconds + 30) / 60) + " min");
  if (wait.live < wait.minimum)
    return text + ", these are rejected, since it needs at least " + std::to_string(wait.minimum);
  return text + ", it goes on with these, which are enough for its minimum of " +
         std::to_string(wait.minimum);
}

gang_core::gang_core(std::shared_ptr<const model::gang_info> declared)
    : declared_(std::move(declared)), told_sizes_(declared_) {}

void gang_core::restore(const gang_member& member) {
  if (!members_.emplace(member.job, member.placed).second) return;
  if (member.placed) ++placed_;
  settled_ = settled_ || member.placed || member.ran;
}

void gang_core::change(const gang_changed& what) {
  for (const auto& job : what.joined) {
    members_.emplace(job, false);
    // A member that comes late waits for others that may follow. None joins a gang that has run.
    settled_ = false;
  }
  settled_ = settled_ || what.settled;
  for (const auto& job : what.started) start(job);
  for (const auto& job : what.requeued) requeue(job);
  for (const auto& job : what.ended) end(job);
  // The QUEUE closes a gang by itself when one of its members changes.
  told_open_ = false;
}

void gang_core::start(const ulid& job) {
  const auto found = members_.find(job);
  if (found == members_.end() || found->second) return;
  found->second = true;
  ++placed_;
  settled_ = true;
}

void gang_core::requeue(const ulid& job) {
  const auto found = members_.find(job);
  if (found == members_.end() || !found->second) return;
  found->second = false;
  --placed_;
}

void gang_core::end(const ulid& job) {
  const auto found = members_.find(job);
  if (found == members_.end()) return;
  if (found->second) --placed_;
  members_.erase(found);
}

std::optional<gang_report> gang_core::take_report() {
  if (members_.empty()) return std::nullopt;
  const auto sizes = gang_sizes(*declared_, members_.size(), settled_);
  const bool open = complete() && placed_ == 0;
  const bool resized = sizes != *told_sizes_;
  if (!resized && (!open || told_open_)) return std::nullopt;
  if (resized)
    told_sizes_ = sizes == *declared_ ? declared_ : std::make_shared<const model::gang_info>(sizes);
  told_open_ = open;
  gang_report report{declared_->id, told_sizes_, open, {}};
  report.members.reserve(members_.size());
  for (const auto& [job, placed] : members_) report.members.push_back(job);
  return report;
}

bool gang_core::complete() const noexcept {
  return settled_ || members_.size() >= declared_->cardinality;
}

std::size_t gang_core::missing() const noexcept {
  return complete() ? 0 : declared_->cardinality - members_.size();
}

}  // namespace argosy::ledger
