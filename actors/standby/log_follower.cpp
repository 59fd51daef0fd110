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
  const auto done = leader.has_planes ? follow_ahead(leader, give_up)
                                      : begin().follow(leader.generation, leader.position, give_up);
  const auto now = ground_.clock->boot();
  if (!done) fail_with(done.error(), now);
  // A store that is full takes records again when its tail has lost some.
  if (now >= trims_at_) trim(now);
  if (!done) return false;
  if (!problem_.empty()) follower_logger.info("this process follows the log again");
  problem_.clear();
  return !*done && position() != before;
}

result<void> log_follower::begin_ahead(const std::function<bool()>& give_up) {
  if (auto loaded = begin().load(give_up); !loaded) return loaded;
  if (ahead_) return {};
  ahead_.emplace(*ground_.database, *ground_.log, *ground_.log_key);
  return ahead_->load(recovery_->position());
}

/// What was read ahead is applied as soon as it is committed. A store that ends in an older
/// generation follows the log by itself first.
result<bool> log_follower::follow_ahead(const ledger::leader_standing& leader,
                                        const std::function<bool()>& give_up) {
  if (auto begun = begin_ahead(give_up); !begun) return fail(begun.error());
  if (const auto part = ahead_->committed_by(leader.committed, leader.generation)) {
    if (auto done = recovery_->follow_tail(*part); !done) return fail(done.error());
    ahead_->applied(recovery_->position());
    return recovery_->position().position >= leader.position;
  }
  if (ahead_->end().generation >= leader.generation || ahead_->is_left_behind()) return true;
  const auto before = recovery_->position().position;
  auto done = recovery_->follow(leader.generation, leader.position, give_up);
  if (recovery_->position().position != before) ahead_.reset();
  return done;
}

std::optional<bool> log_follower::read_ahead(std::chrono::milliseconds wait, bool seek,
                                             bool bounded, const std::function<bool()>& give_up) {
  const auto now = ground_.clock->boot();
  if (now < tries_at_) return std::nullopt;
  const auto begun = begin_ahead(give_up);
  const auto moved = begun ? ahead_->read(wait, seek, bounded) : result<bool>{fail(begun.error())};
  if (moved) return *moved;
  follower_logger.debug("the log is not read", logging::kv("why", moved.error().detail));
  if (!may_pass(moved.error().code)) fail_with(moved.error(), now);
  if (moved.error().code == ec::unavailable) return std::nullopt;
  ahead_.reset();
  return std::nullopt;
}

void log_follower::fail_with(const error& why, boot_time now) {
  ahead_.reset();
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
  auto done = tail_->take_up(now, position().value_or(model::log_position{}));
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

result<view::recovered_state> log_follower::finish(const view::claim_gate& gate,
                                                   model::epoch granted) {
  tail_.reset();
  ahead_.reset();
  auto& ends = begin();
  auto state = ends.finish(gate, granted);
  recovery_.reset();
  return state;
}

}  // namespace argosy::actors
