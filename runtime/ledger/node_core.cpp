// SPDX-License-Identifier: Apache-2.0
#include "runtime/ledger/node_core.hpp"

#include <algorithm>
#include <array>
#include <utility>

#include "runtime/model/amounts.hpp"

namespace argosy::ledger {

namespace {

constexpr std::array<std::string_view, 5> node_state_names{"ready", "cordoned", "quarantined",
                                                           "silent", "gone"};
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

node_core::node_core(std::string cluster, std::string pool, node_config config)
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

void node_core::set_pool(std::string pool) {
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
  if (fresh) model::add(used_, at->second);
}

void node_core::unbind(const model::run_key& run, run_verdict verdict, boot_time now) {
  const auto found = runs_.find(run);
  if (found == runs_.end()) return;
  model::subtract(used_, found->second);
  runs_.erase(found);
  if (retired()) dirty_ = true;
  count(verdict);
  if (!quarantined_ && (fails_too_often() || refuses_starts())) quarantine(now);
}

void node_core::count(run_verdict verdict) {
  const double failed = verdict == run_verdict::in_order ? 0.0 : 1.0;
  failure_rate_ += config_.health_weight * (failed - failure_rate_);
  ++runs_seen_;
  if (verdict == run_verdict::refused) ++refusals_;
}

bool node_core::fails_too_often() const noexcept {
  return runs_seen_ >= config_.runs_min && failure_rate_ >= config_.quarantine_threshold;
}

bool node_core::refuses_starts() const noexcept {
  if (config_.refusals_max == 0) return false;
  return refusals_ >= (on_trial_ ? 1 : config_.refusals_max);
}

void node_core::quarantine(boot_time now) {
  on_trial_ = refuses_starts();
  quarantined_until_ = now + (on_trial_ ? next_period_ : config_.quarantine_period);
  if (on_trial_) next_period_ = std::min(2 * next_period_, config_.quarantine_period_max);
  set(quarantined_, true);
}

void node_core::began() {
  refusals_ = 0;
  next_period_ = config_.quarantine_period;
  if (std::exchange(on_trial_, false)) set(quarantined_, false);
}

void node_core::tick(boot_time now) {
  if (now < tick_due()) return;
  // The rate starts anew: the node has to have `runs_min` runs again before it is judged.
  failure_rate_ = 0;
  runs_seen_ = 0;
  refusals_ = 0;
  set(quarantined_, false);
}

boot_time node_core::tick_due() const noexcept {
  return quarantined_ ? quarantined_until_ : boot_time::max();
}

node_state node_core::state() const noexcept {
  if (gone_) return node_state::gone;
  if (!in_contact_) return node_state::silent;
  if (quarantined_) return node_state::quarantined;
  return info_.unschedulable ? node_state::cordoned : node_state::ready;
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
