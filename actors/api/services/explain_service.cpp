// SPDX-License-Identifier: Apache-2.0
// The service Explain says why a job waits, runs where it runs, or lost its place.
#include <algorithm>
#include <chrono>
#include <utility>

#include "actors/api/gateway_services.hpp"
#include "actors/api/namespace_notes.hpp"
#include "actors/api/summaries.hpp"
#include "actors/api/waiting.hpp"
#include "messages/proto/argosy/explain.pb.h"
#include "messages/rounds/reports/job_explanation.hpp"
#include "messages/rounds/reports/round_list.hpp"

namespace argosy::actors {

namespace {

using explanation = std::shared_ptr<v1::JobExplanation>;

/// Answers, after adding which clusters take no such jobs now, and where its volumes are.
void reply_waiting(gateway_services& gateway, const call& caller, const model::job_header& job,
                   const explanation& answer) {
  auto lines = obstacles_to(job, *gateway.config.contacts, gateway.config.clock->boot());
  answer->set_verdict(verdict_with(lines, answer->verdict()));
  for (auto& line : lines) answer->add_notes(std::move(line));
  for (const auto& each : job.shape->volumes)
    answer->add_notes("in cluster '" + each.cluster + "' its " + each.why);
  caller.reply(*answer);
}

void explain_waiting(gateway_services& gateway, const call& caller, const model::job_record& job,
                     const native::placement_report& waiting, const native::round_report& rounds) {
  auto answer = std::make_shared<v1::JobExplanation>(rounds::explanation_of(job, waiting, rounds));
  if (!answer->verdict().empty()) {
    reply_waiting(gateway, caller, *job.header, answer);
    return;
  }
  ask_why_unheard_of(gateway, caller, *job.header,
                     [&gateway, caller, answer, header = job.header](std::string why) {
                       answer->set_verdict(std::move(why));
                       reply_waiting(gateway, caller, *header, answer);
                     });
}

/// The rounds know only of jobs that wait.
void explain_present(gateway_services& gateway, const call& caller, const model::job_record& job) {
  if (job.state != model::job_state::queued || is_kept_back(job.hold)) {
    auto answer = std::make_shared<v1::JobExplanation>(rounds::explanation_of(job, {}, {}));
    const auto& contacts = *gateway.config.contacts;
    if (const auto* run = job.live_run()) {
      const auto contact = contacts.find(run->cluster);
      if (contact && native::out_of_contact(*contact))
        answer->add_notes(silent_run(run->cluster, contacts, gateway.config.clock->boot()));
    }
    ask_who_is_missing(gateway, caller, job, [caller, answer](std::string missing) {
      if (!missing.empty()) answer->add_notes(std::move(missing));
      caller.reply(*answer);
    });
    return;
  }
  gateway.ask(
      caller, gateway.config.explainer,
      [&gateway, caller, job](const native::placement_ptr& waiting) {
        gateway.ask(
            caller, gateway.config.explainer,
            [&gateway, caller, job, waiting](const native::round_report_ptr& rounds) {
              explain_waiting(gateway, caller, job, *waiting, *rounds);
            },
            atom::explain_v);
      },
      atom::explain_v, job.header->id);
}

/// It takes as long as it takes to read a part of the log; whoever asks may give up earlier.
constexpr std::chrono::minutes past_timeout{10};

/// A caller who does not say how long he waits is taken to wait so long.
constexpr std::chrono::seconds past_unsaid{10};

native::asker past_asker(const gateway_services& gateway, const call& caller) {
  auto out = caller.asker(past_unsaid);
  out.deadline = std::min(out.deadline, gateway.self->clock().now() + past_timeout);
  return out;
}

void explain_past(gateway_services& gateway, const call& caller,
                  const v1::ExplainJobRequest& request) {
  const auto job = parse_ulid(request.job_id());
  if (!job) {
    caller.fail(job.error());
    return;
  }
  const auto slow = gateway.begin_slow(caller);
  if (!slow) return;
  gateway.self
      ->request(
          gateway.config.archive, past_timeout, atom::explain_v,
          native::past_question{*job, request.round(), request.at_ns(), past_asker(gateway, *slow)})
      .then(
          [slow](const native::job_explanation_ptr& answer) {
            auto told = *answer;
            slow->reply(told);
          },
          [slow](const caf::error& err) { slow->fail_with(err); });
}

void explain_job(gateway_services& gateway, const call& caller,
                 const v1::ExplainJobRequest& request) {
  if (request.round() != 0 && request.at_ns() != 0) {
    caller.fail(ec::invalid_argument,
                "round and at_ns are both set: name the round, or a time, but not both");
    return;
  }
  if (request.at_ns() < 0) {
    caller.fail(ec::invalid_argument, "at_ns is negative; it is a Unix time in nanoseconds");
    return;
  }
  if (request.round() != 0 || request.at_ns() != 0) {
    explain_past(gateway, caller, request);
    return;
  }
  gateway.with_job(
      caller, request.job_id(), false,
      [&gateway, caller](const model::job_record& job) { explain_present(gateway, caller, job); });
}

/// So many rounds are decided again if nobody says how many, and at most.
constexpr std::uint32_t history_default = 1'000;
constexpr std::uint32_t history_max = 20'000;

bool has_ended(const model::job_record& job) {
  return job.state != model::job_state::queued && job.live_run() == nullptr;
}

void explain_history(gateway_services& gateway, const call& caller, const model::job_record& job,
                     std::uint32_t rounds_max) {
  native::history_question question;
  question.job = job.header->id;
  question.since_ns = job.header->submitted_ns;
  question.until_ns = has_ended(job) ? job.changed_ns : to_nanos(gateway.config.clock->wall());
  question.asked_by = past_asker(gateway, caller);
  question.rounds_max = rounds_max == 0 ? history_default : std::min(rounds_max, history_max);
  gateway.self->request(gateway.config.archive, past_timeout, atom::explain_v, question)
      .then(
          [caller, job](const native::job_history_ptr& history) {
            auto answer = *history;
            answer.set_job_id(to_string(job.header->id));
            answer.set_queue(job.header->queue);
            answer.set_state(std::string{to_string(job.state)});
            answer.set_submitted_ns(job.header->submitted_ns);
            caller.reply(answer);
          },
          [caller](const caf::error& err) { caller.fail_with(err); });
}

void explain_job_history(gateway_services& gateway, const call& caller,
                         const v1::ExplainJobHistoryRequest& request) {
  const auto slow = gateway.begin_slow(caller);
  if (!slow) return;
  gateway.with_job(
      *slow, request.job_id(), false,
      [&gateway, slow, rounds_max = request.rounds_max()](const model::job_record& job) {
        explain_history(gateway, *slow, job, rounds_max);
      });
}

bool has_rounds(const native::round_report& of, const std::string& pool) {
  return std::ranges::any_of(of.trends, [&](const auto& each) { return each.pool == pool; });
}

void list_rounds(gateway_services& gateway, const call& caller,
                 const v1::ListRoundsRequest& request) {
  gateway.ask(
      caller, gateway.config.explainer,
      [&gateway, caller, request](const native::round_report_ptr& rounds) {
        const auto reply = [caller, list = rounds::round_list(*rounds, request)] {
          caller.reply(list);
        };
        if (!request.pool().empty() && !has_rounds(*rounds, request.pool()))
          return caller.fail(ec::not_found, "no round of pool '" + request.pool() + "' is known");
        if (request.queue().empty()) return reply();
        gateway.with_queue(caller, request.queue(), [reply](const queue_actor&) { reply(); });
      },
      atom::explain_v);
}

}  // namespace

void add_explain_service(method_table& table) {
  add_node_explanations(table);
  table["Explain.ListRounds"] = decoded<v1::ListRoundsRequest>(list_rounds);
  table["Explain.ExplainJobHistory"] = decoded<v1::ExplainJobHistoryRequest>(explain_job_history);
  table["Explain.ExplainJob"] = decoded<v1::ExplainJobRequest>(explain_job);
}

}  // namespace argosy::actors
