// SPDX-License-Identifier: Apache-2.0
#include "actors/state/gang.hpp"

#include "runtime/trace/caf/traced.hpp"

namespace argosy::actors {

struct gang_state {
  static inline const char* name = "argosy.gang";
  using pointer = traced_pointer<gang_actor, gang_state>;
  using step = ledger::gang_signal (ledger::gang_core::*)(const ulid&);

  explicit gang_state(pointer self_) : self(self_) {}

  gang_actor::behavior_type make_behavior(gang_config config);
  void each(const std::vector<ulid>& jobs, step what);
  void act(ledger::gang_signal signal);

  pointer self;
  queue_actor queue;
  ledger::gang_core core{{}};
};

gang_actor::behavior_type gang_state::make_behavior(gang_config config) {
  queue = std::move(config.queue);
  core = ledger::gang_core{std::move(config.info)};
  for (const auto& member : config.members) core.restore(member.job, member.placed, member.ran);
  if (!config.members.empty()) act(core.signal());
  using ledger::gang_core;
  return {
      [this](atom::member, const std::vector<ulid>& jobs) { each(jobs, &gang_core::member); },
      [this](atom::started, const std::vector<ulid>& jobs) { each(jobs, &gang_core::started); },
      [this](atom::requeued, const std::vector<ulid>& jobs) { each(jobs, &gang_core::requeued); },
      [this](atom::ended, const std::vector<ulid>& jobs) { each(jobs, &gang_core::ended); },
      [this](atom::status) { return std::uint64_t{core.missing()}; },
  };
}

void gang_state::each(const std::vector<ulid>& jobs, step what) {
  for (const auto& job : jobs) act((core.*what)(job));
}

void gang_state::act(ledger::gang_signal signal) {
  if (signal == ledger::gang_signal::ready)
    self->send(queue, atom::ready_v, core.info().id);
  else if (signal == ledger::gang_signal::done)
    self->quit();
}

namespace {

gang_actor::behavior_type gang_behavior(traced_pointer<gang_actor, gang_state> self,
                                        gang_config config) {
  return self->state.make_behavior(std::move(config));
}

}  // namespace

gang_actor spawn_gang(caf::actor_system& system, gang_config config) {
  return spawn_actor(system, run_on::pool, gang_behavior, std::move(config));
}

}  // namespace argosy::actors
