// SPDX-License-Identifier: Apache-2.0
#include "actors/rounds/archive.hpp"

#include <algorithm>
#include <functional>
#include <utility>

#include "actors/caf_error.hpp"
#include "runtime/border/fair_queue_core.hpp"
#include "runtime/trace/caf/delayed_send.hpp"
#include "runtime/trace/caf/traced.hpp"

namespace argosy::actors {

struct archive_state {
  static inline const char* name = "argosy.archive";
  using pointer = traced_pointer<archive_actor, archive_state>;

  explicit archive_state(pointer self_) : self(self_) {}

  archive_actor::behavior_type make_behavior(archive_config cfg);
  /// A question that waits for its turn. It answers itself: the argument says whether there is
  /// anybody to work for.
  struct waiting {
    native::asker by;
    std::function<void(const error& why_not)> go_on;
  };
  template <class Answer, class Question>
  caf::result<Answer> add(const Question& question);
  void take_turn();
  [[nodiscard]] result<native::job_explanation_ptr> answer(const native::past_question& question);
  [[nodiscard]] result<native::job_history_ptr> answer(const native::history_question& question);

  pointer self;
  archive_config config;
  border::fair_queue_core<waiting> questions;
  model::timer_generation timer;  ///< The generation of the timer that is armed.
  std::uint64_t answered = 0;
  std::uint64_t failed = 0;
};

archive_actor::behavior_type archive_state::make_behavior(archive_config cfg) {
  config = std::move(cfg);
  return {
      [this](atom::explain, const native::past_question& question) {
        return add<native::job_explanation_ptr>(question);
      },
      [this](atom::explain, const native::history_question& question) {
        return add<native::job_history_ptr>(question);
      },
      [this](atom::flush) { take_turn(); },
      [this](atom::tick, model::timer_generation generation) {
        if (generation == timer && config.archive) config.archive->forget();
      },
      [this](atom::status, atom::figures) {
        return metrics::figure_list{{"answered", static_cast<double>(answered)},
                                    {"failed", static_cast<double>(failed)}};
      },
  };
}

/// Puts the question behind others. Each turn is a message of its own, so that questions which came
/// during the turn before are in the queue when the next one is chosen.
template <class Answer, class Question>
caf::result<Answer> archive_state::add(const Question& question) {
  if (!config.archive)
    return to_caf({ec::unavailable, "this server cannot decide rounds of the past again"});
  auto promise = self->make_response_promise<caf::typed_response_promise<Answer>>();
  questions.push(question.asked_by.who,
                 {question.asked_by, [this, promise, question](const error& why_not) mutable {
                    auto said =
                        why_not.code == ec::none ? answer(question) : result<Answer>{fail(why_not)};
                    ++(said ? answered : failed);
                    if (said)
                      promise.deliver(std::move(*said));
                    else
                      promise.deliver(to_caf(said.error()));
                  }});
  if (questions.size() == 1) self->send(self, atom::flush_v);
  return promise;
}

void archive_state::take_turn() {
  if (questions.empty()) return;
  const auto next = questions.pop();
  if (next.by.has_given_up())
    next.go_on({ec::cancelled, "the caller has gone"});
  else if (next.by.has_gone(self->clock().now()))
    next.go_on(
        {ec::timeout, "others asked about the past for so long that the time for this was over"});
  else
    next.go_on({ec::none, {}});
  if (!questions.empty()) self->send(self, atom::flush_v);
}

namespace {

/// An answer has this time to reach the caller.
constexpr std::chrono::milliseconds way_back{500};

/// When an answer that has to be there by the deadline is cut off, if it is begun now.
native::asker::time_point cut_off(const native::asker& by, native::asker::time_point now) {
  if (by.deadline == native::asker::time_point::max()) return by.deadline;
  return by.deadline - std::min<std::chrono::nanoseconds>(way_back, (by.deadline - now) / 5);
}

}  // namespace

result<native::job_history_ptr> archive_state::answer(const native::history_question& question) {
  const auto now = self->clock().now();
  const auto end = std::min(now + config.history_time, cut_off(question.asked_by, now));
  past::history_bounds bounds{question.since_ns, question.until_ns, question.rounds_max, {}};
  bounds.out_of_time = [this, end, by = question.asked_by] {
    return by.has_given_up() || self->clock().now() >= end;
  };
  auto history = config.archive->history(question.job, bounds);
  if (!history) return fail(std::move(history.error()));
  return native::job_history_ptr{std::make_shared<const v1::JobHistory>(std::move(*history))};
}

result<native::job_explanation_ptr> archive_state::answer(const native::past_question& question) {
  auto explained = config.archive->explain(
      question.job, question.round, question.at_ns,
      [this, by = question.asked_by] { return by.has_gone(self->clock().now()); });
  trace::tick_send(self, caf::actor_cast<archive_actor>(self), config.kept_for, atom::tick_v,
                   timer = timer.next());
  if (!explained) return fail(std::move(explained.error()));
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
