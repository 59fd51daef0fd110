// SPDX-License-Identifier: Apache-2.0
#include "actors/rounds/explainer.hpp"

#include <chrono>
#include <optional>
#include <utility>

#include "messages/rounds/node_answers.hpp"
#include "runtime/base/check.hpp"
#include "runtime/trace/caf/traced.hpp"

namespace argosy::actors {

struct explainer_state {
  static inline const char* name = "argosy.explainer";
  using pointer = traced_pointer<explainer_actor, explainer_state>;

  explicit explainer_state(pointer self_) : self(self_) {}

  explainer_actor::behavior_type make_behavior(explainer_config cfg);

  pointer self;
  std::optional<rounds::round_view> view;
  std::shared_ptr<probes::pool_probe> shares;
  ledger::unfit_rules unfit;
};

namespace {

template <class Answer>
std::shared_ptr<const Answer> shared(Answer answer) {
  return std::make_shared<const Answer>(std::move(answer));
}

/// Shows by metrics what each round did.
void show(probes::pool_probe& on, const rounds::round_view& view, const rounds::round_done& step) {
  const model::pool_name pool{step.params.pool};
  on.decided(pool, *step.plan, *view.history().config_of(pool), *view.history().round_of(pool),
             from_nanos(step.params.round_time_ns), std::chrono::nanoseconds{step.took_ns});
}
void show(probes::pool_probe& on, const rounds::round_view&, const rounds::cut_settled& step) {
  on.keep_only(step.pools);
}
void show(probes::pool_probe&, const rounds::round_view&, const auto&) {}

native::share_list_ptr shares_of(const rounds::round_view& view) {
  return shared(native::share_list{view.history().shares(), view.slowed()});
}

}  // namespace

explainer_actor::behavior_type explainer_state::make_behavior(explainer_config cfg) {
  view.emplace(std::move(cfg.scheduling), std::move(cfg.rules.pools));
  shares = std::move(cfg.rules.shares);
  unfit = cfg.unfit;
  return {
      [this](atom::changed, const native::view_steps_ptr& steps) {
        for (const auto& step : *steps) {
          view->take(step);
          std::visit([this](const auto& what) { show(*shares, *view, what); }, step);
        }
      },
      [this](atom::explain, const ulid& job) -> native::placement_ptr {
        return shared(view->history().explain(view->fold(), job));
      },
      [this](atom::explain,
             const native::job_on_node_question_ptr& asked) -> native::job_on_node_ptr {
        return shared(rounds::answer(view->history(), view->fold(), *asked));
      },
      [this](atom::explain, const native::node_question_ptr& asked) -> native::node_answer_ptr {
        return shared(rounds::answer(view->history(), view->fold(), *asked));
      },
      [this](atom::explain, const native::job_ids_ptr& jobs) -> native::waiting_reasons_ptr {
        return shared(view->history().reasons(view->fold(), *jobs));
      },
      [this](atom::explain, const native::submit_ptr& asked) {
        return view->note(asked->jobs, unfit);
      },
      [this](atom::explain) { return view->report(); },
      [this](atom::list) { return shares_of(*view); },
      [this](atom::status, atom::figures) {
        const auto& seen = view->fold().snapshot();
        return metrics::figure_list{{"queued", static_cast<double>(seen.queued_count())},
                                    {"running", static_cast<double>(seen.running_count())},
                                    {"nodes", static_cast<double>(seen.node_count())}};
      },
  };
}

namespace {

explainer_actor::behavior_type explainer_behavior(
    traced_pointer<explainer_actor, explainer_state> self, explainer_config config) {
  return self->state.make_behavior(std::move(config));
}

}  // namespace

explainer_actor spawn_explainer(caf::actor_system& system, explainer_config config, run_on where) {
  ARGOSY_CHECK(config.scheduling != nullptr);
  return spawn_actor(system, where, explainer_behavior, std::move(config));
}

}  // namespace argosy::actors
