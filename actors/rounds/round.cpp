// SPDX-License-Identifier: Apache-2.0
#include "actors/rounds/round.hpp"

#include "runtime/base/at_work.hpp"
#include "runtime/base/check.hpp"
#include "runtime/trace/caf/traced.hpp"

namespace argosy::actors {

struct round_state {
  static inline const char* name = "argosy.round";
  using pointer = traced_pointer<round_actor, round_state>;

  explicit round_state(pointer self_) : self(self_) {}

  round_actor::behavior_type make_behavior(round_config cfg);

  pointer self;
  round_config config;
};

namespace {

scheduling::plan decide(const round_rules& rules, const native::round_request& request) {
  auto plan = rules.decide
                  ? rules.decide(request)
                  : scheduling::schedule(*request.snapshot, *request.config, request.params);
  if (plan.violation.empty()) return plan;
  if (rules.keep) rules.keep(request, plan);
  ARGOSY_CHECK(!rules.abort_on_violation);
  return plan;
}

}  // namespace

round_actor::behavior_type round_state::make_behavior(round_config cfg) {
  config = std::move(cfg);
  return {
      [this](atom::round, const native::round_ptr& request) {
        self->quit();
        auto& probe = *config.rules.counters;
        probe.begun_at.set_time(from_nanos(request->params.round_time_ns));
        metrics::portion deciding{probe.deciding};
        deciding.set(1);
        const at_work noted{config.rules.work.get(), work_kind::round, config.number};
        return native::plan_ptr{
            std::make_shared<const scheduling::plan>(decide(config.rules, *request))};
      },
      // While it decides it does not answer.
      [this](atom::status, atom::figures) {
        return metrics::figure_list{{"number", static_cast<double>(config.number)}};
      },
  };
}

namespace {

round_actor::behavior_type round_behavior(traced_pointer<round_actor, round_state> self,
                                          round_config config) {
  return self->state.make_behavior(std::move(config));
}

}  // namespace

round_actor spawn_round(caf::actor_system& system, round_config config, run_on where) {
  return spawn_actor(system, where, round_behavior, std::move(config));
}

}  // namespace argosy::actors
