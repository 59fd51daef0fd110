// SPDX-License-Identifier: Apache-2.0
// The service SchedulerReporting tells people in text what the last rounds did, and why.
#include <algorithm>

#include "actors/api/gateway_services.hpp"
#include "messages/proto/api/scheduler_reporting.pb.h"
#include "messages/rounds/reports/job_report.hpp"
#include "messages/rounds/reports/queue_report.hpp"
#include "messages/rounds/reports/scheduling_report.hpp"

namespace argosy::actors {

namespace {

namespace wire = schedulerobjects;

std::int64_t now_of(const gateway_services& gateway) {
  return to_nanos(gateway.config.clock->wall());
}

/// `then` takes the report on the last rounds.
template <class Then>
void ask_rounds(gateway_services& gateway, const call& caller, Then then) {
  gateway.ask(
      caller, gateway.config.explainer,
      [then](const native::round_report_ptr& rounds) { then(*rounds); }, atom::explain_v);
}

/// `then` takes the text. The ROUNDs know nothing of jobs that do not wait.
template <class Then>
void report_job(gateway_services& gateway, const call& caller, const std::string& job_id,
                Then then) {
  gateway.with_job(caller, job_id, false, [&gateway, caller, then](const model::job_record& job) {
    if (job.state != model::job_state::queued) {
      then(rounds::job_report(job, {}, now_of(gateway)));
      return;
    }
    gateway.ask(
        caller, gateway.config.explainer,
        [&gateway, job, then](const native::placement_ptr& waiting) {
          then(rounds::job_report(job, *waiting, now_of(gateway)));
        },
        atom::explain_v, job.header->id);
  });
}

/// The numbers of rounds in the text are good for `argosyctl explain --round` with the mark.
template <class Answer>
void reply_report(const call& caller, std::string text) {
  Answer answer;
  text += "rounds of the history with the mark " + caller.mark() + "\n";
  answer.set_report(std::move(text));
  caller.reply(answer);
}

void get_job_report(gateway_services& gateway, const call& caller,
                    const wire::JobReportRequest& request) {
  report_job(gateway, caller, request.job_id(), [caller](std::string text) {
    reply_report<wire::JobReport>(caller, std::move(text));
  });
}

void get_queue_report(gateway_services& gateway, const call& caller,
                      const wire::QueueReportRequest& request) {
  gateway.with_queue(
      caller, request.queue_name(), [&gateway, caller, request](const queue_actor& queue) {
        gateway.ask(
            caller, queue,
            [&gateway, caller, request](const native::queue_status_ptr& status) {
              ask_rounds(gateway, caller,
                         [&gateway, caller, request, status](const native::round_report& last) {
                           reply_report<wire::QueueReport>(
                               caller, rounds::queue_report(*status, last, request.verbosity(),
                                                            now_of(gateway)));
                         });
            },
            atom::status_v);
      });
}

/// With a filter by job the report on the job stands before that on the rounds.
void get_scheduling_report(gateway_services& gateway, const call& caller,
                           const wire::SchedulingReportRequest& request) {
  const auto reply = [&gateway, caller, verbosity = request.verbosity()](
                         const model::queue_name& queue, const std::string& head) {
    ask_rounds(gateway, caller,
               [&gateway, caller, verbosity, queue, head](const native::round_report& last) {
                 reply_report<wire::SchedulingReport>(
                     caller,
                     head + rounds::scheduling_report(last, {queue, verbosity, now_of(gateway)}));
               });
  };
  switch (request.filter_case()) {
    case wire::SchedulingReportRequest::kMostRecentForQueue: {
      const model::queue_name name{request.most_recent_for_queue().queue_name()};
      gateway.with_queue(caller, name, [reply, name](const queue_actor&) { reply(name, {}); });
      return;
    }
    case wire::SchedulingReportRequest::kMostRecentForJob:
      report_job(gateway, caller, request.most_recent_for_job().job_id(),
                 [reply](const std::string& text) { reply({}, text); });
      return;
    case wire::SchedulingReportRequest::FILTER_NOT_SET:
      reply({}, {});
  }
}

}  // namespace

void add_report_service(method_table& table) {
  table["SchedulerReporting.GetSchedulingReport"] =
      decoded<wire::SchedulingReportRequest>(get_scheduling_report);
  table["SchedulerReporting.GetQueueReport"] = decoded<wire::QueueReportRequest>(get_queue_report);
  table["SchedulerReporting.GetJobReport"] = decoded<wire::JobReportRequest>(get_job_report);
}

}  // namespace argosy::actors
