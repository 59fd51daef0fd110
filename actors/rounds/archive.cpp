// SPDX-License-Identifier: Apache-2.0
#include "actors/rounds/archive.hpp"

#include <utility>

#include "actors/caf_error.hpp"
#include "runtime/trace/caf/delayed_send.hpp"
#include "runtime/trace/caf/traced.hpp"

namespace argosy::actors {

struct archive_state {
  static inline const char* name = "argosy.archive";
  using pointer = traced_pointer<archive_actor, archive_state>;

  explicit archive_state(pointer self_) : self(self_) {}

  archive_actor::behavior_type make_behavior(archive_config cfg);
  [[nodiscard]] caf::result<native::job_explanation_ptr> answer(
      const native::past_question& question);
  [[nodiscard]] caf::result<native::job_history_ptr> answer(
      const native::history_question& question);

  pointer self;
  archive_config config;
  model::timer_generation timer;  ///< The generation of the timer that is armed.
  std::uint64_t answered = 0;
  std::uint64_t failed = 0;
};

archive_actor::behavior_type archive_state::make_behavior(archive_config cfg) {
  config = std::move(cfg);
  return {
      [this](atom::explain, const native::past_question& question) { return answer(question); },
      [this](atom::explain, const native::history_question& question) { return answer(question); },
      [this](atom::tick, model::timer_generation generation) {
        if (generation == timer && config.archive) config.archive->forget();
      },
      [this](atom::status, atom::figures) {
        return metrics::figure_list{{"answered", static_cast<double>(answered)},
                                    {"failed", static_cast<double>(failed)}};
      },
  };
}

namespace {

caf::error no_archive() {
  return to_caf({ec::unavailable, "this server cannot decide rounds of the past again"});
}

}  // namespace

caf::result<native::job_history_ptr> archive_state::answer(
    const native::history_question& question) {
  if (!config.archive) return no_archive();
  const auto end = self->clock().now() + config.history_time;
  past::history_bounds bounds{question.since_ns, question.until_ns, question.rounds_max, {}};
  bounds.out_of_time = [this, end] { return self->clock().now() >= end; };
  auto history = config.archive->history(question.job, bounds);
  ++(history ? answered : failed);
  if (!history) return to_caf(history.error());
  return native::job_history_ptr{std::make_shared<const v1::JobHistory>(std::move(*history))};
}

caf::result<native::job_explanation_ptr> archive_state::answer(
    const native::past_question& question) {
  if (!config.archive) return no_archive();
  auto explained = config.archive->explain(question.job, question.round, question.at_ns);
  trace::tick_send(self, caf::actor_cast<archive_actor>(self), config.kept_for, atom::tick_v,
                   timer = timer.next());
  ++(explained ? answered : failed);
  if (!explained) return to_caf(explained.error());
  return native::job_explanation_ptr{
      std::make_shared<const v1::JobExplanation>(std::move(*explained))};
}

namespace {

archive_actor::behavior_type archive_behavior(traced_pointer<archive_actor, archive_state> self,
                                              archive_config config) {
  return self->state.make_behavior(std::move(config));
}

}  // namespace

archive_actor spawn_archive(caf::actor_system& system, archive_config config, run_on where) {
  return spawn_actor(system, where, archive_behavior, std::move(config));
}

}  // namespace argosy::actors
