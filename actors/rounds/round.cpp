// SPDX-License-Identifier: Apache-2.0
#include "actors/rounds/round.hpp"

#include <chrono>
#include <optional>
#include <string>
#include <utility>

#include "actors/rounds/verified_state.hpp"
#include "runtime/base/at_work.hpp"
#include "runtime/base/check.hpp"
#include "runtime/trace/caf/traced.hpp"

namespace argosy::actors {

struct round_state {
  static inline const char* name = "argosy.round";
  using pointer = traced_pointer<round_actor, round_state>;

  explicit round_state(pointer self_) : self(self_) {}

  round_actor::behavior_type make_behavior(round_config cfg);
  [[nodiscard]] scheduling::plan decide(const native::round_request& request);
  /// The parameters of the round, which ends its draws in time.
  [[nodiscard]] scheduling::round_params timed(const native::round_request& request) const;

  pointer self;
  round_config config;
  verified_state pool;
  std::uint64_t number = 0;  ///< The number of the last round.
};

scheduling::round_params round_state::timed(const native::round_request& request) const {
  auto params = request.params;
  const std::chrono::nanoseconds most{request.config->max_draw_time_ns};
  const bool draws = request.config->selection != scheduling::queue_selection::progressive_filling;
  if (!draws || most.count() == 0 || config.clock == nullptr) return params;
  params.draws_end = [clock = config.clock, most, end = std::optional<boot_time>{}]() mutable {
    const auto now = clock->boot();
    if (!end) end = now + most;
    return now >= *end;
  };
  return params;
}

scheduling::plan round_state::decide(const native::round_request& request) {
  const auto& rules = config.rules;
  verified_state::outcome decided;
  if (rules.decide)
    decided.plan = rules.decide(request);
  else
    decided = pool.decide(*request.snapshot, request.config, timed(request));
  auto& probe = *rules.counters;
  if (decided.made_anew) ++probe.made_anew;
  if (decided.differed) ++probe.differences;
  auto& plan = decided.plan;
  const std::string why =
      decided.differed ? "what was kept of the rounds before led to another plan" : plan.violation;
  if (why.empty()) return std::move(plan);
  if (rules.keep) {
    auto again = request;
    again.params = with_draws_of(plan, std::move(again.params));
    rules.keep(again, why);
  }
  ARGOSY_CHECK(!rules.abort_on_violation);
  return std::move(plan);
}

round_actor::behavior_type round_state::make_behavior(round_config cfg) {
  config = std::move(cfg);
  pool = verified_state{config.rules.verify};
  self->set_down_handler([this](const caf::down_msg&) { self->quit(); });
  if (const auto owner = caf::actor_cast<caf::actor>(config.owner)) self->monitor(owner);
  return {
      [this](atom::round, const native::round_ptr& request) {
        number = request->number;
        auto& probe = *config.rules.counters;
        probe.begun_at.set_time(from_nanos(request->params.round_time_ns));
        metrics::portion deciding{probe.deciding};
        deciding.set(1);
        const at_work noted{config.rules.work.get(), work_kind::round, number};
        return native::plan_ptr{std::make_shared<const scheduling::plan>(decide(*request))};
      },
      // While it decides it does not answer.
      [this](atom::status, atom::figures) {
        return metrics::figure_list{{"number", static_cast<double>(number)},
                                    {"made_anew", static_cast<double>(pool.made_anew())},
                                    {"measured", static_cast<double>(pool.measured())}};
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
