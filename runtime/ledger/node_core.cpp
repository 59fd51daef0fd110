// SPDX-License-Identifier: Apache-2.0
#include "runtime/ledger/node_core.hpp"

#include <algorithm>
#include <array>
#include <utility>

#include "runtime/model/amounts.hpp"
#include "runtime/model/node_trouble.hpp"

namespace argosy::ledger {

namespace {

constexpr std::array<std::string_view, 6> node_state_names{"ready",       "cordoned", "unready",
                                                           "quarantined", "silent",   "gone"};
static_assert(node_state_names.size() == static_cast<std::size_t>(node_state::gone) + 1);

/// Returns the amounts sorted by name, with one positive entry for each name, as add() and
/// subtract() need them.
model::resource_list tidy(const model::resource_list& amounts) {
  model::resource_list out;
  for (const auto& [name, amount] : amounts)
    if (amount > 0) model::add(out, {{name, amount}});
  return out;
}

}  // namespace

std::string_view to_string(node_state state) noexcept {
  return node_state_names[static_cast<std::size_t>(state)];
}

node_core::node_core(model::cluster_name cluster, model::pool_name pool, node_config config)
    : cluster_(std::move(cluster)),
      pool_(std::move(pool)),
      config_(config),
      next_period_(config.quarantine_period) {}

void node_core::set_info(model::node_info info) {
  set(gone_, false);
  if (info == info_) return;
  info_ = std::move(info);
  dirty_ = true;
}

void node_core::set_pool(model::pool_name pool) {
  if (pool == pool_) return;
  pool_ = std::move(pool);
  dirty_ = true;
}

void node_core::set_contact(bool in_contact) {
  set(in_contact_, in_contact);
}

void node_core::remove() {
  set(gone_, true);
}

void node_core::bind(const model::run_key& run, model::resource_list requests) {
  requests = tidy(requests);
  const auto [at, fresh] = runs_.try_emplace(run, std::move(requests));
  if (!fresh) return;
  model::add(used_, at->second);
  if (trial_until_ == boot_time{}) return;
  const bool held = is_held_on_trial();
  trial_.insert(run);
  if (is_held_on_trial() != held) dirty_ = true;
}

void node_core::unbind(const model::run_key& run, run_verdict verdict, boot_time now) {
  const auto found = runs_.find(run);
  if (found == runs_.end()) return;
  model::subtract(used_, found->second);
  runs_.erase(found);
  if (retired()) dirty_ = true;
  if (verdict == run_verdict::succeeded || verdict == run_verdict::failed) {
    // What ends now may have begun before the node went bad, unless it is of the trial.
    if (trial_.contains(run)) began();
    return;
  }
  if (verdict == run_verdict::refused) ++refusals_;
  if (quarantined_) return;
  if (refuses_starts())
    quarantine(on_trial_ ? "it refused another start after a quarantine"
                         : "it refused " + std::to_string(refusals_) + " starts in a row",
               now);
  else if (verdict == run_verdict::lost && on_trial_)
    quarantine("it lost another run after a quarantine", now);
}

bool node_core::fails_too_often() const noexcept {
  const auto& machine = health_.machine;
  return machine.time_ns > settled_ns_ && machine.runs >= config_.runs_min &&
         machine.failure() >= config_.quarantine_threshold;
}

bool node_core::refuses_starts() const noexcept {
  if (config_.refusals_max == 0) return false;
  return refusals_ >= (on_trial_ ? 1 : config_.refusals_max);
}

bool node_core::is_held_on_trial() const noexcept {
  return trial_until_ != boot_time{} && config_.trial_runs != 0 &&
         trial_.size() >= config_.trial_runs;
}

void node_core::quarantine(std::string why, boot_time now) {
  why_ = std::move(why);
  on_trial_ = true;
  trial_until_ = {};
  period_ = next_period_;
  quarantined_until_ = now + period_;
  next_period_ = std::min(2 * period_, config_.quarantine_period_max);
  settled_ns_ = std::max(settled_ns_, health_.machine.time_ns);
  set(quarantined_, true);
}

void node_core::began() {
  refusals_ = 0;
  next_period_ = config_.quarantine_period;
  if (!std::exchange(on_trial_, false)) return;
  if (is_held_on_trial()) dirty_ = true;
  trial_until_ = {};
  set(quarantined_, false);
}

void node_core::judge(const model::health_record& health, boot_time now) {
  health_ = health;
  if (quarantined_ || !fails_too_often()) return;
  const auto& machine = health_.machine;
  quarantine(std::to_string(machine.failed) + " of its last " + std::to_string(machine.runs) +
                 " runs were refused or lost",
             now);
}

void node_core::restore(const model::health_record& health, boot_time rest, boot_time now) {
  const auto& known = health.quarantine;
  if (released_ns_ != 0 && known.until_ns - known.period_ns <= released_ns_) {
    // Whoever told of that quarantine counts on being told that the node takes work.
    dirty_ = true;
    return;
  }
  health_ = health;
  if (quarantined_ || rest <= boot_time{0}) return;
  const boot_time period{health_.quarantine.period_ns};
  next_period_ = std::clamp(period, config_.quarantine_period, config_.quarantine_period_max);
  quarantine(health_.quarantine.why, now);
  period_ = period;
  quarantined_until_ = now + std::min(rest, config_.quarantine_period_max);
}

bool node_core::release(std::int64_t now_ns) {
  if (!on_trial_) return false;
  settled_ns_ = std::max({settled_ns_, health_.machine.time_ns, now_ns});
  released_ns_ = now_ns;
  began();
  return true;
}

void node_core::tick(boot_time now) {
  if (now < tick_due()) return;
  refusals_ = 0;
  dirty_ = dirty_ || is_held_on_trial();
  trial_.clear();
  trial_until_ = quarantined_ ? now + config_.quarantine_period : boot_time{};
  set(quarantined_, false);
}

boot_time node_core::tick_due() const noexcept {
  if (quarantined_) return quarantined_until_;
  return trial_until_ != boot_time{} ? trial_until_ : boot_time::max();
}

std::string node_core::why() const {
  if (!quarantined_)
    return is_held_on_trial()
               ? "it is tried again with a few runs after a quarantine, since " + why_
               : std::string{};
  const auto& last = health_.last_failure;
  return last.empty() ? why_ : why_ + "; the last: " + last;
}

node_state node_core::state() const noexcept {
  if (gone_) return node_state::gone;
  if (!in_contact_) return node_state::silent;
  if (quarantined_ || is_held_on_trial()) return node_state::quarantined;
  if (!info_.unschedulable) return node_state::ready;
  return model::trouble_of(info_).empty() ? node_state::cordoned : node_state::unready;
}

node_view node_core::view() const {
  node_view out;
  out.id = model::node_id(cluster_, info_.name);
  out.cluster = cluster_;
  out.pool = pool_;
  out.state = state();
  // A removed node with runs stays until they have ended, so that their room is not lost sight of.
  out.present = !retired();
  out.info = info_;
  out.info.unschedulable = out.state != node_state::ready;
  return out;
}

bool node_core::take_dirty() noexcept {
  return std::exchange(dirty_, false);
}

void node_core::set(bool& flag, bool value) {
  if (flag == value) return;
  flag = value;
  dirty_ = true;
}

}  // namespace argosy::ledger
