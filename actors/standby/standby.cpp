// SPDX-License-Identifier: Apache-2.0
#include "actors/standby/standby.hpp"

#include <caf/actor_addr.hpp>
#include <caf/actor_cast.hpp>
#include <caf/send.hpp>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "actors/standby/lead_answers.hpp"
#include "runtime/base/check.hpp"
#include "runtime/logging/logger.hpp"
#include "runtime/trace/caf/delayed_send.hpp"
#include "runtime/trace/caf/traced.hpp"

namespace argosy::actors {

namespace {

native::lead_report report_of(const result<bus::frame>& reply) {
  using enum ledger::lead_answer;
  if (reply) return {somebody, codec::decode_leader_standing(reply->data)};
  if (reply.error().code == ec::no_responders) return {nobody, {}};
  if (reply.error().code == ec::timeout) return {silence, {}};
  return {};
}

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
  void read_log();
  void note_problem();
  void end(standby_end how);

  pointer self;
  standby_config config;
  std::optional<ledger::candidate_core> core;
  std::string leader;         ///< Who answered last, by host and process.
  std::string noted_problem;  ///< What the log says last that stands against a claim.
  /// Callers are told so while nobody leads and this process must not.
  std::vector<bus::subscription> answers;
  bool is_reading = false;  ///< A message to go on with the log is under way.
  bool has_ended = false;
};

standby_actor::behavior_type standby_state::make_behavior(standby_config cfg) {
  config = std::move(cfg);
  core.emplace(config.times);
  ask();
  trace::tick_send(self, self, config.ask_period, atom::tick_v, model::timer_generation{1});
  return {
      [this](atom::respond, const native::lead_report& report) { take(report); },
      [this](atom::read_log) {
        is_reading = false;
        read_log();
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
  config.waiting->heard(word.plane, {word.holder, word.problem, word.applied});
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
  if (report.answer == ledger::lead_answer::somebody) wait_behind(report.standing);
  if (report.answer && core->may_claim(*report.answer, config.clock->boot())) find_lead_free();
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

/// Reads a part at a time, so that this process is heard of meanwhile.
void standby_state::read_log() {
  if (has_ended || !config.candidate->follow(config.give_up)) return;
  is_reading = true;
  self->send(self, atom::read_log_v);
}

void standby_state::find_lead_free() {
  config.candidate->find_lead_free();
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
