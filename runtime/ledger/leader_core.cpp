// SPDX-License-Identifier: Apache-2.0
#include "runtime/ledger/leader_core.hpp"

#include <algorithm>
#include <utility>

#include "runtime/model/agent.hpp"

namespace argosy::ledger {

bool leader_core::is_own(const model::leader_elected& elected) const {
  return elected.epoch == claimed_ && elected.holder == holder_ && elected.nonce == nonce_;
}

leader_action leader_core::observe(const model::leader_elected& elected) {
  // Whoever applies the log drops a claim whose epoch does not grow, and so does this core.
  if (elected.epoch <= seen_) return leader_action::none;
  seen_ = elected.epoch;
  switch (role_) {
    case leader_role::candidate:
      if (is_own(elected)) {
        role_ = leader_role::leader;
        return leader_action::lead;
      }
      if (elected.epoch < claimed_) return leader_action::none;
      role_ = leader_role::follower;
      return leader_action::follow;
    case leader_role::leader:
      // This is the core's own claim, which was observed or appended already.
      if (is_own(elected)) return leader_action::none;
      return stand_down();
    default:
      return leader_action::none;
  }
}

leader_action leader_core::caught_up() {
  if (role_ != leader_role::candidate) return leader_action::none;
  role_ = leader_role::follower;
  return leader_action::claim;
}

std::optional<model::leader_elected> leader_core::claim(model::epoch granted) {
  if (role_ != leader_role::follower) return std::nullopt;
  role_ = leader_role::candidate;
  claimed_ = granted.is_zero() ? seen_.next() : granted;
  return model::leader_elected{claimed_, holder_, nonce_, control_plane_};
}

leader_action leader_core::claim_appended(const result<void>& outcome) {
  if (role_ != leader_role::candidate) return leader_action::none;
  if (outcome) {
    role_ = leader_role::leader;
    seen_ = claimed_;
    return leader_action::lead;
  }
  switch (outcome.error().code) {
    case ec::fenced:    // The log is longer than was read.
    case ec::conflict:  // The log is shorter: it regressed.
    case ec::timeout:   // The claim may be in the log nevertheless.
      return leader_action::read_log;
    default:
      role_ = leader_role::follower;
      return leader_action::follow;
  }
}

leader_action leader_core::stalled(boot_time gap, boot_time takeover_max) const {
  return role_ == leader_role::leader && gap > takeover_max ? leader_action::read_log
                                                            : leader_action::none;
}

leader_action leader_core::seen_by_agent(model::epoch epoch) {
  if (role_ != leader_role::leader || epoch < claimed_ ||
      model::is_implausible_epoch(epoch, claimed_))
    return leader_action::none;
  told_ = std::max(told_, epoch);
  return leader_action::read_log;
}

std::optional<model::leader_elected> leader_core::claim_above(boot_time now, boot_time pause_min) {
  if (role_ != leader_role::leader || told_ < claimed_) return std::nullopt;
  if (raised_at_ && now - *raised_at_ < pause_min) return std::nullopt;
  raised_at_ = now;
  return model::leader_elected{told_.next(), holder_, nonce_, control_plane_};
}

void leader_core::raised(model::epoch epoch) {
  if (role_ != leader_role::leader) return;
  claimed_ = epoch;
  seen_ = std::max(seen_, epoch);
}

model::epoch leader_core::epoch() const noexcept {
  return role_ == leader_role::leader ? claimed_ : model::epoch{};
}

leader_action leader_core::stand_down() {
  if (role_ != leader_role::leader) return leader_action::none;
  role_ = leader_role::retired;
  return leader_action::stand_down;
}

namespace {

change_list round_changes(std::int64_t time_ns, model::round_decided round) {
  change_list changes;
  changes.reserve(round.before.size() + round.carried.size() + 1);
  for (auto* entries : {&round.before, &round.carried})
    for (auto& entry : std::exchange(*entries, {}))
      changes.push_back(put_carried{std::move(entry)});
  round.cuts.clear();
  changes.push_back(put_round{time_ns, std::move(round)});
  return changes;
}

}  // namespace

change_list control_changes(const model::event& e) {
  if (const auto* elected = std::get_if<model::leader_elected>(&e.payload))
    return {put_epoch{elected->epoch, elected->holder, elected->control_plane}};
  if (const auto* planes = std::get_if<model::planes_changed>(&e.payload))
    return {put_planes{planes->planes}};
  if (const auto* round = std::get_if<model::round_decided>(&e.payload))
    return round_changes(e.time_ns, *round);
  if (const auto* expired = std::get_if<model::history_expired>(&e.payload))
    return {expire_history{*expired}};
  if (const auto* call = std::get_if<model::call_recorded>(&e.payload))
    return {put_call{e.time_ns, *call}};
  if (const auto* settings = std::get_if<model::settings_changed>(&e.payload))
    return {put_settings_change{e.time_ns, *settings}};
  return {};
}

}  // namespace argosy::ledger
