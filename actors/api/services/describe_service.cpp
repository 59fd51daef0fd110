// SPDX-License-Identifier: Apache-2.0
// Query.DescribeJob tells all of one job: what it asked for, how it is, what happened to it, and
// why it waits.
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "actors/api/gateway_services.hpp"
#include "actors/api/namespace_notes.hpp"
#include "actors/api/summaries.hpp"
#include "actors/api/waiting.hpp"
#include "messages/codec/api/event_codec.hpp"
#include "messages/codec/api/job_codec.hpp"
#include "messages/native/job_trace.hpp"
#include "messages/proto/argosy/v1.pb.h"

namespace argosy::actors {

namespace {

using described = std::shared_ptr<v1::DescribeJobResponse>;

/// Answers, after adding which clusters take no such jobs now.
void reply_waiting(const call& caller, const described& response,
                   std::vector<std::string> obstacles) {
  for (auto& line : obstacles) response->add_reason_lines(std::move(line));
  caller.reply(*response);
}

std::vector<std::string> obstacles_now(const gateway_services& gateway,
                                       const model::job_header& job) {
  return obstacles_to(job, *gateway.config.contacts, gateway.config.clock->boot());
}

void reply_with(gateway_services& gateway, const call& caller, const model::job_header& job,
                const described& response, const std::string& why) {
  response->mutable_summary()->set_reason(why);
  response->add_reason_lines(why);
  reply_waiting(caller, response, obstacles_now(gateway, job));
}

void add_reasons(const native::placement_report& report, const std::vector<std::string>& obstacles,
                 v1::DescribeJobResponse& response) {
  response.set_round(report.round);
  response.set_round_ns(report.time_ns);
  response.set_place_in_queue(report.place);
  response.mutable_summary()->set_reason_code(report.code);
  const auto verdict = verdict_with(obstacles, report.reason);
  response.add_reason_lines(verdict);
  if (response.summary().reason().empty()) response.mutable_summary()->set_reason(verdict);
  for (const auto& each : report.pools) {
    response.add_reason_lines(each.text);
    auto& out = *response.add_pool_reasons();
    out.set_pool(each.pool);
    out.set_code(each.code);
    out.set_never(each.never);
    out.set_round(each.round);
    out.set_round_ns(each.time_ns);
    out.set_text(each.text);
  }
}

/// Answers, after adding why the job waits, which only the EXPLAINER knows.
void reply_described(gateway_services& gateway, const call& caller, const model::job_record& job,
                     const described& response) {
  gateway.ask(
      caller, gateway.config.explainer,
      [&gateway, caller, response, header = job.header](const native::placement_ptr& report) {
        if (!report->known) {
          ask_why_unheard_of(gateway, caller, *header,
                             [&gateway, caller, response, header](std::string why) {
                               reply_with(gateway, caller, *header, response, why);
                             });
          return;
        }
        auto obstacles = obstacles_now(gateway, *header);
        add_reasons(*report, obstacles, *response);
        reply_waiting(caller, response, std::move(obstacles));
      },
      atom::explain_v, job.header->id);
}

/// A caller does not see these parts of a job.
struct hidden_parts {
  std::set<std::string> environments;  ///< Queues where he does not see those of others.
  std::optional<error> history;        ///< Why he does not see what happened to it.
};

void reply_job(gateway_services& gateway, const call& caller, const model::job_record& job,
               const hidden_parts& hidden) {
  auto response = std::make_shared<v1::DescribeJobResponse>();
  summarize(job, *gateway.config.contacts, *response->mutable_summary());
  response->set_trace_id(trace::to_string(native::to_context(job.header->trace).trace));
  if (auto done = codec::to_wire(job, true, true, *response->mutable_details()); !done) {
    caller.fail(done.error());
    return;
  }
  auto& details = *response->mutable_details();
  if (details.has_job_spec() &&
      show(caller, hidden.environments, *job.header, *details.mutable_job_spec()) &&
      gateway.is_of_another(caller, job.header->owner))
    gateway.note_shown(caller, {job.header->id});
  if (hidden.history)
    response->set_history_hidden(hidden.history->detail);
  else
    for (auto& message : codec::history(job)) response->add_history()->Swap(&message);
  if (is_kept_back(job.hold)) {
    reply_with(gateway, caller, *job.header, response, model::to_string(*job.hold));
    return;
  }
  if (job.state == model::job_state::queued) {
    reply_described(gateway, caller, job, response);
    return;
  }
  if (response->summary().cluster_silent())
    response->add_reason_lines(silent_run(model::cluster_name{response->summary().cluster()},
                                          *gateway.config.contacts, gateway.config.clock->boot()));
  ask_who_is_missing(gateway, caller, job, [caller, response](std::string missing) {
    if (!missing.empty()) response->add_reason_lines(std::move(missing));
    caller.reply(*response);
  });
}

/// Whoever may not follow the events of a job set is not told here what happened to its jobs
/// either, except for his own.
void find_hidden_history(gateway_services& gateway, const call& caller,
                         const model::job_header& job,
                         std::function<void(std::optional<error>)> then) {
  if (gateway.is_of_another(caller, job.owner))
    gateway.find_refusal(caller, job.queue, access::action::watch, std::move(then));
  else
    then(std::nullopt);
}

void describe_job(gateway_services& gateway, const call& caller,
                  const v1::DescribeJobRequest& request) {
  gateway.with_job(
      caller, request.job_id(), true, [&gateway, caller](const model::job_record& job) {
        gateway.find_hidden(
            caller, {job}, [&gateway, caller, job](const std::set<std::string>& hidden) {
              find_hidden_history(gateway, caller, *job.header,
                                  [&gateway, caller, job, hidden](std::optional<error> why) {
                                    reply_job(gateway, caller, job, {hidden, std::move(why)});
                                  });
            });
      });
}

}  // namespace

void add_describe_methods(method_table& table) {
  table["Query.DescribeJob"] = decoded<v1::DescribeJobRequest>(describe_job);
}

}  // namespace argosy::actors
