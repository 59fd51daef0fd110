// SPDX-License-Identifier: Apache-2.0
#include "actors/standby/standby.hpp"

#include <caf/actor_addr.hpp>
#include <caf/actor_cast.hpp>
#include <caf/send.hpp>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "actors/standby/joint_claim.hpp"
#include "actors/standby/lead_answers.hpp"
#include "runtime/base/check.hpp"
#include "runtime/logging/logger.hpp"
#include "runtime/trace/caf/delayed_send.hpp"
#include "runtime/trace/caf/traced.hpp"

namespace argosy::actors {

namespace {

native::lead_report report_of(const result<bus::frame>& reply) {
  using enum ledger::lead_answer;
  if (reply) {
    auto standing = codec::decode_leader_standing(reply->data);
    const bool ends = std::exchange(standing.is_over, false);
    return {ends ? over : somebody, std::move(standing)};
  }
  if (reply.error().code == ec::no_responders) return {nobody, {}};
  if (reply.error().code == ec::timeout) return {silence, {}};
  return {};
}

constexpr std::chrono::milliseconds no_wait{0};
/// Where reading does not wait, the log is looked at so often.
constexpr std::chrono::milliseconds read_pause{20};

}  // namespace

struct standby_state {
 public:
  static inline const logging::logger logger{"standby"};
  static inline const char* name = "argosy.standby";
  using pointer = traced_pointer<standby_actor, standby_state>;

  explicit standby_state(pointer self_) : self(self_) {}

  standby_actor::behavior_type make_behavior(standby_config cfg);

 private:
  void ask();
  void take(const native::lead_report& report);
  void wait_behind(const ledger::leader_standing& leader);
  void find_lead_free();
  void ask_planes();
  void say_end();
  void read_log();
  void note_problem();
  void end(standby_end how);

  pointer self;
  standby_config config;
  std::optional<ledger::candidate_core> core;
  std::optional<joint_claim> claim;
  std::string leader;         ///< Who answered last, by host and process.
  std::string noted_problem;  ///< What the log says last that stands against a claim.
  /// Callers are told so while nobody leads and this process must not.
  std::vector<bus::subscription> answers;
  bool is_reading = false;  ///< A message to go on with the log is under way.
  bool is_late = false;  ///< The view lacks records of which it is known that they are committed.
  bool is_free = false;  ///< Nobody leads, and somebody may claim.
  bool has_ended = false;
};

standby_actor::behavior_type standby_state::make_behavior(standby_config cfg) {
  config = std::move(cfg);
  core.emplace(config.times);
  claim.emplace(
      *config.candidate, config.connection, *config.clock,
      [address = caf::actor_cast<caf::actor_addr>(self)](native::frame_ptr frame, bool is_answer) {
        if (const auto me = caf::actor_cast<caf::strong_actor_ptr>(address))
          caf::anon_send(caf::actor_cast<standby_actor>(me), atom::bind_v, std::move(frame),
                         is_answer);
      });
  ask();
  trace::tick_send(self, self, config.ask_period, atom::tick_v, model::timer_generation{1});
  return {
      [this](atom::respond, const native::lead_report& report) { take(report); },
      [this](atom::read_log) {
        is_reading = false;
        read_log();
      },
      [this](atom::bind, const native::frame_ptr& frame, bool is_answer) {
        if (has_ended) return;
        claim->take(frame, is_answer);
        if (is_answer && is_free) ask_planes();
      },
      [this](atom::tick, model::timer_generation generation) {
        if (has_ended) return;
        ask();
        trace::tick_send(self, self, config.ask_period, atom::tick_v, generation.next());
      },
      [this](atom::shutdown) {
        has_ended = true;
        answers.clear();
        self->quit();
      },
      [this](atom::status, atom::figures) { return config.waiting->figures(); },
  };
}

void standby_state::ask() {
  const auto word = config.candidate->word();
  config.waiting->heard({word.holder, word.problem, word.applied, {word.plane, word.place}});
  // The callback holds the STANDBY weakly, since the connection outlives the actors.
  config.connection->request(
      lead_subject, codec::encode(word), {}, config.answer_limit,
      [address = caf::actor_cast<caf::actor_addr>(self)](const result<bus::frame>& reply) {
        const auto me = caf::actor_cast<caf::strong_actor_ptr>(address);
        if (!me) return;
        caf::anon_send(caf::actor_cast<standby_actor>(me), atom::respond_v, report_of(reply));
      });
}

void standby_state::take(const native::lead_report& report) {
  if (has_ended) return;
  is_free = false;
  if (report.answer == ledger::lead_answer::somebody) wait_behind(report.standing);
  if (report.answer == ledger::lead_answer::over) {
    // It says where it ended.
    config.candidate->hear(report.standing);
    if (config.candidate->hears_leader()) claim->await_others(report.standing);
  }
  if (report.answer &&
      core->may_claim(*report.answer, config.clock->boot(), config.candidate->has_planes()))
    find_lead_free();
}

void standby_state::wait_behind(const ledger::leader_standing& who) {
  answers.clear();
  config.candidate->heed(who);
  const std::string process{ledger::process_of(who.holder)};
  if (process != leader)
    logger.info("another argosyd leads; waiting until it ends", logging::kv("holder", process));
  leader = process;
  note_problem();
  const auto& problem = config.candidate->problem();
  config.tell("waiting while '" + leader + "' leads" +
              (problem.empty() ? std::string{} : "; could not take over: " + problem));
  if (config.candidate->needs_snapshot()) return end(standby_end::needs_snapshot);
  if (!is_reading) read_log();
}

/// Reads a part at a time, so that this process is heard of meanwhile. Where planes decide together
/// the log is read all the time, since the leader waits for what is confirmed.
void standby_state::read_log() {
  if (has_ended) return;
  auto& candidate = *config.candidate;
  std::optional<bool> moved;
  const bool has_planes = candidate.has_planes();
  if (has_planes)
    if (const auto served = claim->serve(); !served)
      logger.warning("other planes cannot ask this one",
                     logging::kv("error", served.error().detail));
  if (has_planes)
    moved = candidate.read_ahead(is_late ? no_wait : config.read_wait, config.give_up);
  if (moved.value_or(false)) say_end();
  is_late = candidate.follow(config.give_up);
  if (!is_late && !moved) return;
  is_reading = true;
  if (is_late || *moved || config.read_wait > no_wait)
    self->send(self, atom::read_log_v);
  else
    trace::delayed_send(self, self, read_pause, atom::read_log_v);
}

/// Tells the leader at once with which record the store ends now.
void standby_state::say_end() {
  static_cast<void>(
      config.connection->publish(lead_subject, codec::encode(config.candidate->word())));
}

void standby_state::find_lead_free() {
  config.candidate->find_lead_free();
  is_free = true;
  if (config.candidate->has_planes()) return ask_planes();
  note_problem();
  const auto& problem = config.candidate->problem();
  if (problem.empty()) {
    if (!leader.empty()) logger.info("the lead is free");
    config.waiting->left(config.candidate->word().plane);
    return end(standby_end::may_claim);
  }
  const auto name = config.candidate->word().holder;
  if (answers.empty())
    answers =
        answer_without_leader(config.connection, "no control plane leads; '" + name +
                                                     "' waits and could not take over: " + problem);
  config.tell("nobody leads, and this process must not: " + problem);
}

/// The log is read to its end meanwhile.
void standby_state::ask_planes() {
  if (!is_reading) read_log();
  if (!config.candidate->granted().is_zero() || claim->ask()) {
    logger.info("this plane may claim the lead",
                logging::kv("epoch", config.candidate->granted().value));
    config.waiting->left(config.candidate->word().plane);
    return end(standby_end::may_claim);
  }
  const auto name = config.candidate->word().holder;
  const auto why = claim->problem();
  if (std::exchange(noted_problem, why) != why) answers.clear();
  if (answers.empty())
    answers = answer_without_leader(config.connection,
                                    "no control plane leads; '" + name + "' waits: " + why);
  config.tell("nobody leads: " + why);
}

void standby_state::note_problem() {
  const auto& problem = config.candidate->problem();
  if (problem == noted_problem) return;
  answers.clear();
  if (problem.empty())
    logger.info("this process could take over again");
  else
    logger.error("this process could not take over", logging::kv("why", problem));
  noted_problem = problem;
}

void standby_state::end(standby_end how) {
  has_ended = true;
  answers.clear();
  config.on_end(how);
  self->quit();
}

namespace {

standby_actor::behavior_type standby_behavior(traced_pointer<standby_actor, standby_state> self,
                                              standby_config config) {
  return self->state.make_behavior(std::move(config));
}

}  // namespace

standby_actor spawn_standby(caf::actor_system& system, standby_config config, run_on where) {
  ARGOSY_CHECK(config.candidate && config.connection && config.waiting && config.tell &&
               config.on_end && config.clock != nullptr);
  return spawn_actor(system, where, standby_behavior, std::move(config));
}

}  // namespace argosy::actors
