// SPDX-License-Identifier: Apache-2.0
#include "actors/leader.hpp"

#include <memory>
#include <utility>

#include "actors/caf_error.hpp"
#include "messages/probes/lead_probe.hpp"
#include "runtime/base/check.hpp"
#include "runtime/trace/caf/delayed_send.hpp"
#include "runtime/trace/caf/traced.hpp"

namespace argosy::actors {

struct leader_state {
  static inline const char* name = "argosy.leader";
  using pointer = traced_pointer<leader_actor, leader_state>;

  explicit leader_state(pointer self_) : self(self_) {}

  leader_actor::behavior_type make_behavior(leader_config cfg);
  caf::result<model::epoch> claim();
  void tick(model::timer_generation generation);
  void verify();
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
  core = std::make_unique<ledger::leader_core>(config.holder, config.nonce);
  if (config.before.epoch > 0) core->observe(config.before);
  core->caught_up();
  last_tick = config.clock->boot();
  trace::tick_send(self, self, config.times.heartbeat, atom::tick_v, model::timer_generation{1});
  return {
      [this](atom::claim) { return claim(); },
      [this](atom::stand_down, const std::string& why) { stand_down(why); },
      [this](atom::tick, model::timer_generation generation) { tick(generation); },
      [this](atom::status) { return model::epoch{core->epoch()}; },
      [this](atom::status, atom::figures) { return probe->figures(); },
  };
}

caf::result<model::epoch> leader_state::claim() {
  const auto claim = core->claim();
  if (!claim) return to_caf({ec::conflict, "this process claimed before"});
  auto promise = self->make_response_promise<caf::typed_response_promise<model::epoch>>();
  self->request(config.journal, config.claim_timeout, atom::claim_v, *claim,
                caf::actor_cast<alarm_actor>(self))
      .then(
          [this, promise](model::epoch) mutable {
            core->claim_appended({});
            probe->epoch.set(static_cast<std::int64_t>(core->epoch()));
            promise.deliver(model::epoch{core->epoch()});
          },
          [this, promise](const caf::error& err) mutable {
            core->claim_appended(fail(from_caf(err)));
            promise.deliver(err);
          });
  return promise;
}

void leader_state::tick(model::timer_generation generation) {
  const auto now = config.clock->boot();
  if (core->stalled(now - last_tick, config.times.takeover) == ledger::leader_action::stand_down)
    stand_down(
        "the process did not run for " +
        std::to_string(std::chrono::duration_cast<std::chrono::seconds>(now - last_tick).count()) +
        " s");
  last_tick = now;
  verify();
  trace::tick_send(self, self, config.times.heartbeat, atom::tick_v, generation.next());
}

/// An idle leader learns in this way that another process has claimed the lead, before it goes on
/// to renew leases of which the other does not know. If so, the JOURNAL sends the alarm.
void leader_state::verify() {
  if (core->epoch() == 0 || std::exchange(verifying, true)) return;
  ++probe->verifications;
  self->request(config.journal, config.claim_timeout, atom::verify_v)
      .then([this](atom::ok) { verifying = false; },
            [this](const caf::error&) { verifying = false; });
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
