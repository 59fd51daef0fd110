// SPDX-License-Identifier: Apache-2.0
#include "actors/standby/log_follower.hpp"

#include <chrono>
#include <utility>

#include "runtime/logging/logger.hpp"

namespace argosy::actors {

namespace {

const logging::logger follower_logger{"standby"};

/// How often the tail and the state are trimmed.
constexpr std::chrono::seconds trim_period{60};
/// How long nothing is tried after it failed. The store is read anew then, which may take seconds.
constexpr std::chrono::seconds pause_after_failure{30};

/// Whether it may be over when it is tried again at once.
bool may_pass(ec code) {
  return code == ec::unreachable || code == ec::timeout || code == ec::unavailable;
}

}  // namespace

view::recovery& log_follower::begin() {
  if (!recovery_)
    recovery_ =
        std::make_unique<view::recovery>(*ground_.database, *ground_.log, rules_, *ground_.log_key);
  return *recovery_;
}

bool log_follower::follow(const ledger::leader_standing& leader,
                          const std::function<bool()>& give_up) {
  if (ground_.clock->boot() < tries_at_) return false;
  const auto before = position();
  const auto done = begin().follow(leader.generation, leader.position, give_up);
  const auto now = ground_.clock->boot();
  if (!done) fail_with(done.error(), now);
  // A store that is full takes records again when its tail has lost some.
  if (now >= trims_at_) trim(now);
  if (!done) return false;
  if (!problem_.empty()) follower_logger.info("this process follows the log again");
  problem_.clear();
  return !*done && position() != before;
}

void log_follower::fail_with(const error& why, boot_time now) {
  recovery_.reset();
  if (why.code == ec::cancelled) return;
  tries_at_ = now + pause_after_failure;
  if (may_pass(why.code)) return;
  if (problem_.empty())
    follower_logger.error("this process does not follow the log", logging::kv("why", why.detail));
  problem_ = why.detail;
}

/// The actors of a leader keep tail and state small, and nobody else does here.
void log_follower::trim(boot_time now) {
  trims_at_ = now + trim_period;
  if (recovery_) recovery_->forget_changes();
  if (!tail_) {
    const auto usage = ground_.database->usage();
    tail_.emplace(*ground_.database,
                  eventlog::tail_rules_for(usage ? usage->limit_bytes : std::uint64_t{0}));
  }
  auto done = tail_->take_up(now);
  while (done) {
    const auto erased = tail_->trim(now);
    if (!erased) done = fail(erased.error());
    if (!erased || *erased < view::tail_table::trimmed_max) break;
  }
  if (!done)
    follower_logger.warning("the tail was not trimmed",
                            logging::kv("error", to_string(done.error())));
}

std::optional<model::log_position> log_follower::position() const {
  if (!recovery_) return std::nullopt;
  return recovery_->position().position;
}

result<view::recovered_state> log_follower::finish(const view::claim_gate& gate) {
  tail_.reset();
  auto& ends = begin();
  auto state = ends.finish(gate);
  recovery_.reset();
  return state;
}

}  // namespace argosy::actors
