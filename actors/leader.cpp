// SPDX-License-Identifier: Apache-2.0
#include "actors/leader.hpp"

#include <memory>
#include <utility>

#include "actors/caf_error.hpp"
#include "messages/probes/lead_probe.hpp"
#include "runtime/base/check.hpp"
#include "runtime/logging/logger.hpp"
#include "runtime/trace/caf/delayed_send.hpp"
#include "runtime/trace/caf/traced.hpp"

namespace argosy::actors {

struct leader_state {
  static inline const logging::logger logger{"leader"};
  static inline const char* name = "argosy.leader";
  using pointer = traced_pointer<leader_actor, leader_state>;

  explicit leader_state(pointer self_) : self(self_) {}

  leader_actor::behavior_type make_behavior(leader_config cfg);
  caf::result<model::epoch> claim();
  void tick(model::timer_generation generation);
  void verify();
  void read_log();
  void claim_above();
  void raise_to(model::epoch epoch);
  void stand_down(const std::string& why);

  pointer self;
  leader_config config;
  std::shared_ptr<probes::leader_probe> probe;
  std::unique_ptr<ledger::leader_core> core;
  boot_time last_tick{};
  bool stood_down = false;
  bool verifying = false;  ///< The JOURNAL has not answered the last question yet.
};

leader_actor::behavior_type leader_state::make_behavior(leader_config cfg) {
  config = std::move(cfg);
  probe = config.probes->get<probes::leader_probe>();
  core = std::make_unique<ledger::leader_core>(config.holder, config.nonce, config.control_plane);
  if (!config.before.epoch.is_zero()) core->observe(config.before);
  core->caught_up();
  last_tick = config.clock->boot();
  trace::tick_send(self, self, config.times.heartbeat, atom::tick_v, model::timer_generation{1});
  return {
      [this](atom::claim) { return claim(); },
      [this](atom::stand_down, const std::string& why) { stand_down(why); },
      [this](atom::verify, model::epoch seen) {
        if (core->seen_by_agent(seen) == ledger::leader_action::read_log) read_log();
      },
      [this](atom::tick, model::timer_generation generation) { tick(generation); },
      [this](atom::status) { return core->epoch(); },
      [this](atom::status, atom::figures) { return probe->figures(); },
  };
}

caf::result<model::epoch> leader_state::claim() {
  const auto claim = core->claim(config.granted);
  if (!claim) return to_caf({ec::conflict, "this process claimed before"});
  auto promise = self->make_response_promise<caf::typed_response_promise<model::epoch>>();
  self->request(config.journal, config.claim_timeout, atom::claim_v, *claim,
                caf::actor_cast<alarm_actor>(self))
      .then(
          [this, promise](model::epoch) mutable {
            core->claim_appended({});
            probe->epoch.set(static_cast<std::int64_t>(core->epoch().value));
            promise.deliver(core->epoch());
          },
          [this, promise](const caf::error& err) mutable {
            core->claim_appended(fail(from_caf(err)));
            promise.deliver(err);
          });
  return promise;
}

void leader_state::tick(model::timer_generation generation) {
  const auto now = config.clock->boot();
  const auto gap = now - std::exchange(last_tick, now);
  if (core->stalled(gap, config.times.takeover) == ledger::leader_action::read_log) {
    logger.warning("this process was held up; it reads in the log whether another leads now",
                   logging::kv("seconds", std::chrono::round<std::chrono::seconds>(gap).count()));
    read_log();
  } else {
    verify();
  }
  trace::tick_send(self, self, config.times.heartbeat, atom::tick_v, generation.next());
}

/// An idle leader learns in this way that another process has claimed the lead, before it goes on
/// to renew leases of which the other does not know. If so, the JOURNAL sends the alarm.
void leader_state::verify() {
  if (core->epoch().is_zero() || std::exchange(verifying, true)) return;
  ++probe->verifications;
  self->request(config.journal, config.claim_timeout, atom::verify_v)
      .then([this](atom::ok) { verifying = false; },
            [this](const caf::error&) { verifying = false; });
}

/// Reads the log whether or not anything was written since the last look, and goes on if nobody
/// else has claimed. If another has, the JOURNAL sends the alarm before it answers.
void leader_state::read_log() {
  if (core->epoch().is_zero() || std::exchange(verifying, true)) return;
  ++probe->verifications;
  const auto failed = [this](const caf::error&) { verifying = false; };
  // The JOURNAL takes a commit since its last look for a proof that this process leads. That commit
  // may be older than what is to be found out, so that it is asked twice.
  self->request(config.journal, config.claim_timeout, atom::verify_v)
      .then(
          [this, failed](atom::ok) {
            self->request(config.journal, config.claim_timeout, atom::verify_v)
                .then(
                    [this](atom::ok) {
                      verifying = false;
                      claim_above();
                    },
                    failed);
          },
          failed);
}

/// The control plane was set back to an older state, and nobody else leads: its agents accept no
/// orders of an epoch below the one that they have seen.
void leader_state::claim_above() {
  const auto claim = core->claim_above(config.clock->boot(), config.times.raise_pause);
  if (!claim) return;
  logger.warning("agents have seen a higher epoch, and nobody else leads: claiming one above it",
                 logging::kv("epoch", core->epoch().value),
                 logging::kv("claims", claim->epoch.value));
  self->request(config.journal, config.claim_timeout, atom::claim_v, *claim,
                caf::actor_cast<alarm_actor>(self))
      .then([this](model::epoch granted) { raise_to(granted); },
            [](const caf::error& err) {
              logger.warning("no higher epoch was claimed", logging::kv("error", from_caf(err)));
            });
}

void leader_state::raise_to(model::epoch epoch) {
  core->raised(epoch);
  probe->epoch.set(static_cast<std::int64_t>(core->epoch().value));
  if (core->epoch() == epoch) self->send(config.root, atom::claim_v, epoch);
}

void leader_state::stand_down(const std::string& why) {
  if (stood_down) return;
  stood_down = true;
  (void)core->stand_down();
  probe->epoch.set(0);
  self->send(config.root, atom::stand_down_v, why);
}

result<void> validate(const leader_config& config) {
  if (config.holder.empty() || !config.journal || !config.root || config.clock == nullptr)
    return fail(ec::invalid_argument, "a leader needs a holder, a journal, a root and a clock");
  return {};
}

namespace {

leader_actor::behavior_type leader_behavior(traced_pointer<leader_actor, leader_state> self,
                                            leader_config config) {
  return self->state.make_behavior(std::move(config));
}

}  // namespace

leader_actor spawn_leader(caf::actor_system& system, leader_config config) {
  ARGOSY_CHECK(validate(config).has_value());
  return spawn_actor(system, run_on::pool, leader_behavior, std::move(config));
}

}  // namespace argosy::actors
