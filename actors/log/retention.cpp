// SPDX-License-Identifier: Apache-2.0
#include "actors/log/retention.hpp"

#include <algorithm>
#include <memory>
#include <utility>

#include "actors/caf_error.hpp"
#include "messages/probes/log/retention_probe.hpp"
#include "runtime/base/check.hpp"
#include "runtime/ledger/audit_shares.hpp"
#include "runtime/ledger/leader_core.hpp"
#include "runtime/logging/logger.hpp"
#include "runtime/trace/caf/delayed_send.hpp"
#include "runtime/trace/caf/traced.hpp"

namespace argosy::actors {

namespace {

/// The time between two parts of a large expiry, in which others can write to the log.
constexpr std::chrono::milliseconds part_gap{20};
/// So few records of the audit trail are read at once that others are not held up.
constexpr std::uint32_t callers_at_a_time = 2'000;

/// The period is short enough that nothing is kept for much longer than it should be.
std::chrono::milliseconds period_of(const ledger::retention_config& rules) {
  using std::chrono::milliseconds;
  return std::clamp(std::chrono::duration_cast<milliseconds>(ledger::shortest_kept(rules) / 10),
                    milliseconds{1'000}, milliseconds{60'000});
}

}  // namespace

struct retention_state {
  static inline const logging::logger logger{"retention"};

  static inline const char* name = "argosy.retention";
  using pointer = traced_pointer<retention_actor, retention_state>;

  explicit retention_state(pointer self_) : self(self_) {}

  retention_actor::behavior_type make_behavior(retention_actor_config cfg);
  void use(ledger::retention_config rules);
  void look();
  void take(const ledger::oldest_kept& oldest);
  void expire(const ledger::oldest_kept& oldest, std::vector<std::uint64_t> surplus, bool more);
  void expired();
  void look_again(std::chrono::milliseconds after);
  void failed(const caf::error& err);

  pointer self;
  retention_actor_config config;
  std::shared_ptr<probes::retention_probe> probe;
  ledger::audit_shares shares;         ///< Empty while there are few records.
  std::chrono::milliseconds period{};  ///< The time between two looks when nothing is due.
  model::timer_generation generation;  ///< The generation of the timer that is armed.
};

retention_actor::behavior_type retention_state::make_behavior(retention_actor_config cfg) {
  config = std::move(cfg);
  probe = config.probes->get<probes::retention_probe>();
  use(std::move(config.rules));
  return {
      [this](atom::tick, model::timer_generation timer) {
        if (timer == generation) look();
      },
      [this](atom::settings, const ledger::retention_config& rules) { use(rules); },
      [this](atom::status, atom::figures) { return probe->figures(); },
  };
}

/// A look that is under way may still end something by the rules before.
void retention_state::use(ledger::retention_config rules) {
  config.rules = std::move(rules);
  period = period_of(config.rules);
  look_again(period);
}

void retention_state::look() {
  ++probe->looks;
  self->request(config.reader, config.request_timeout, atom::oldest_v)
      .then([this](const ledger::oldest_kept& oldest) { take(oldest); },
            [this](const caf::error& err) { failed(err); });
}

/// Only a trail that may be too long is looked through, which takes time and memory.
void retention_state::take(const ledger::oldest_kept& oldest) {
  if (!ledger::may_be_too_many_calls(config.rules, oldest)) {
    shares = {};
    expire(oldest, {}, false);
    return;
  }
  const auto after = std::max(shares.last(), oldest.audit_first - 1);
  self->request(config.reader, config.request_timeout, atom::query_v,
                native::list_audit_callers{after, callers_at_a_time})
      .then(
          [this, oldest](const native::audit_callers_ptr& found) {
            for (const auto& [number, caller] : found->records)
              if (number > shares.last()) shares.add(number, caller);
            shares.forget_below(oldest.audit_first);
            expire(oldest,
                   found->more ? std::vector<std::uint64_t>{}
                               : shares.take_surplus(config.rules.audit_records_max,
                                                     config.rules.records_max),
                   found->more);
          },
          [this](const caf::error& err) { failed(err); });
}

void retention_state::expire(const ledger::oldest_kept& oldest, std::vector<std::uint64_t> surplus,
                             bool more) {
  auto due =
      ledger::expire_due(config.rules, oldest, to_nanos(config.clock->wall()), std::move(surplus));
  if (!due) {
    look_again(more ? part_gap : period);
    return;
  }
  auto request = std::make_shared<native::append_request>();
  request->changes = ledger::control_changes(*due);
  request->events.push_back(std::move(*due));
  self->request(config.journal, config.request_timeout, atom::append_v,
                native::append_ptr{std::move(request)})
      .then([this](const native::append_ack&) { expired(); },
            [this](const caf::error& err) { failed(err); });
}

void retention_state::expired() {
  ++probe->expiries;
  probe->expired_at.set_time(config.clock->wall());
  look_again(part_gap);
}

void retention_state::look_again(std::chrono::milliseconds after) {
  trace::tick_send(self, self, after, atom::tick_v, generation = generation.next());
}

void retention_state::failed(const caf::error& err) {
  ++probe->failures;
  // The records that were taken out of the shares may still be in the trail.
  shares = {};
  logger.warning("nothing was expired; trying again later",
                 logging::kv("error", to_string(from_caf(err))));
  look_again(period);
}

result<void> validate(const retention_actor_config& config) {
  if (!config.reader || !config.journal || config.clock == nullptr)
    return fail(ec::invalid_argument, "retention needs a reader, a journal and a clock");
  return {};
}

namespace {

retention_actor::behavior_type retention_behavior(
    traced_pointer<retention_actor, retention_state> self, retention_actor_config config) {
  return self->state.make_behavior(std::move(config));
}

}  // namespace

retention_actor spawn_retention(caf::actor_system& system, retention_actor_config config) {
  ARGOSY_CHECK(validate(config).has_value());
  return spawn_actor(system, run_on::pool, retention_behavior, std::move(config));
}

}  // namespace argosy::actors
