// SPDX-License-Identifier: Apache-2.0
#include "actors/state/gang.hpp"

#include <optional>

#include "messages/probes/gang_probe.hpp"
#include "runtime/trace/caf/traced.hpp"

namespace argosy::actors {

struct gang_state {
  static inline const char* name = "argosy.gang";
  using pointer = traced_pointer<gang_actor, gang_state>;

  explicit gang_state(pointer self_) : self(self_) {}

  gang_actor::behavior_type make_behavior(gang_config config);
  void report();
  [[nodiscard]] metrics::figure_list figures() const;

  pointer self;
  queue_actor queue;
  std::optional<ledger::gang_core> core;
  std::optional<probes::gang_share> share;
};

gang_actor::behavior_type gang_state::make_behavior(gang_config config) {
  queue = std::move(config.queue);
  share.emplace(*config.probes);
  core.emplace(std::move(config.info));
  for (const auto& member : config.members) core->restore(member);
  report();
  return {
      [this](atom::changed, const native::gang_changed_ptr& what) {
        core->change(*what);
        report();
        if (what->last) self->quit();
      },
      [this](atom::status, atom::figures) { return figures(); },
  };
}

void gang_state::report() {
  share->show(core->missing() == 0);
  if (auto report = core->take_report())
    self->send(queue, atom::member_v,
               std::make_shared<const ledger::gang_report>(std::move(*report)));
}

metrics::figure_list gang_state::figures() const {
  return {{"live", static_cast<double>(core->live_count())},
          {"placed", static_cast<double>(core->placed_count())},
          {"missing", static_cast<double>(core->missing())}};
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
