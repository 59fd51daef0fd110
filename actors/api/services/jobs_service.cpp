// SPDX-License-Identifier: Apache-2.0
// The service Jobs gives states, details, errors and runs of jobs by id.
#include <algorithm>
#include <set>

#include "actors/api/fan_out.hpp"
#include "actors/api/gateway_services.hpp"
#include "actors/api/selections.hpp"
#include "actors/api/summaries.hpp"
#include "messages/codec/api/job_codec.hpp"
#include "messages/proto/api/job.pb.h"
#include "messages/proto/argosy/v1.pb.h"
#include "runtime/base/planted.hpp"

namespace argosy::actors {

namespace {

/// Asks for the jobs whose ids are well-formed; any other id counts as an unknown job.
template <class Then>
void read_jobs(gateway_services& gateway, const call& caller, const id_list& ids, bool with_spec,
               Then then) {
  native::get_jobs query{{}, with_spec};
  for (const auto& text : ids)
    if (const auto id = parse_ulid(text)) query.ids.push_back(*id);
  gateway.ask(caller, gateway.config.reader, std::move(then), atom::query_v, query);
}

void get_status(gateway_services& gateway, const call& caller,
                const api::JobStatusRequest& request) {
  if (refuse_count(gateway, caller, request.job_ids_size())) return;
  read_jobs(
      gateway, caller, request.job_ids(), false,
      [caller, request](const native::job_page_ptr& page) {
        api::JobStatusResponse response;
        auto& states = *response.mutable_job_states();
        for (const auto& id : request.job_ids()) states[id] = api::UNKNOWN;
        for (const auto& job : page->jobs)
          if (!is_planted(planted_fault::loses_new_jobs) || job.header->id.bytes.back() % 16 != 3)
            states[to_string(job.header->id)] = codec::to_wire(job.state);
        caller.reply(response);
      });
}

/// The URI stands in the specifications alone, so that all those of the job set are looked at, a
/// piece at a time. Whoever asks for a job set that is too large for that gets ec::timeout.
void get_status_by_uri(gateway_services& gateway, const call& caller,
                       const api::JobStatusUsingExternalJobUriRequest& request) {
  if (request.external_job_uri().empty()) {
    caller.fail(ec::invalid_argument, "external_job_uri is empty");
    return;
  }
  if (request.queue().empty() || request.jobset().empty()) {
    caller.reply(api::JobStatusResponse{});  // No job has an empty queue or job set.
    return;
  }
  native::list_jobs query;
  query.queue = model::queue_name{request.queue()};
  query.job_set = request.jobset();
  query.external_uri = request.external_job_uri();
  query.asked_by = caller.asker(gateway.config.request_timeout);
  gateway.ask(
      caller, gateway.config.list_reader,
      [caller](const native::job_page_ptr& page) {
        if (page->next) {
          caller.fail(ec::too_large, "more than " + std::to_string(page->jobs.size()) +
                                         " jobs of the job set have this URI");
          return;
        }
        api::JobStatusResponse response;
        for (const auto& job : page->jobs)
          (*response.mutable_job_states())[to_string(job.header->id)] = codec::to_wire(job.state);
        caller.reply(response);
      },
      atom::query_v, query);
}

void reply_details(gateway_services& gateway, const call& caller,
                   const api::JobDetailsRequest& request, const native::job_page& page,
                   const std::set<std::string>& hidden) {
  api::JobDetailsResponse response;
  std::vector<ulid> of_others;
  for (const auto& job : page.jobs) {
    auto& details = (*response.mutable_job_details())[to_string(job.header->id)];
    auto done = codec::to_wire(job, request.expand_job_spec(), request.expand_job_run(), details);
    if (!done) {
      caller.fail(done.error());
      return;
    }
    if (details.has_job_spec() && show(caller, hidden, *job.header, *details.mutable_job_spec()) &&
        gateway.is_of_another(caller, job.header->owner))
      of_others.push_back(job.header->id);
  }
  gateway.note_shown(caller, of_others);
  caller.reply(response);
}

void get_details(gateway_services& gateway, const call& caller,
                 const api::JobDetailsRequest& request) {
  if (refuse_count(gateway, caller, request.job_ids_size())) return;
  read_jobs(gateway, caller, request.job_ids(), request.expand_job_spec(),
            [&gateway, caller, request](const native::job_page_ptr& page) {
              if (!request.expand_job_spec()) {
                reply_details(gateway, caller, request, *page, {});
                return;
              }
              gateway.find_hidden(
                  caller, page->jobs,
                  [&gateway, caller, request, page](const std::set<std::string>& hidden) {
                    reply_details(gateway, caller, request, *page, hidden);
                  });
            });
}

/// The error of the job itself, or else of its last run, or else an empty text.
std::string error_of(const model::job_record& job) {
  const bool failed = job.state == model::job_state::failed ||
                      job.state == model::job_state::rejected ||
                      job.state == model::job_state::preempted;
  if (failed && !job.reason.empty()) return job.reason;
  return job.runs.empty() ? "" : job.runs.back().outcome.message;
}

void get_errors(gateway_services& gateway, const call& caller,
                const api::JobErrorsRequest& request) {
  if (refuse_count(gateway, caller, request.job_ids_size())) return;
  read_jobs(gateway, caller, request.job_ids(), false, [caller](const native::job_page_ptr& page) {
    api::JobErrorsResponse response;
    for (const auto& job : page->jobs)
      (*response.mutable_job_errors())[to_string(job.header->id)] = error_of(job);
    caller.reply(response);
  });
}

void get_run_details(gateway_services& gateway, const call& caller,
                     const api::JobRunDetailsRequest& request) {
  if (refuse_count(gateway, caller, request.run_ids_size())) return;
  native::get_jobs query;
  for (const auto& run : request.run_ids())
    for (const auto& job : codec::jobs_of_run(run)) query.ids.push_back(job);
  const std::set<std::string> wanted{request.run_ids().begin(), request.run_ids().end()};
  gateway.ask(
      caller, gateway.config.reader,
      [caller, wanted](const native::job_page_ptr& page) {
        api::JobRunDetailsResponse response;
        for (const auto& job : page->jobs)
          for (const auto& run : job.runs)
            if (const auto id = codec::run_id({job.header->id, run.number}); wanted.contains(id))
              codec::to_wire(run, job.header->id, (*response.mutable_job_run_details())[id]);
        caller.reply(response);
      },
      atom::query_v, query);
}

void get_active_queues(gateway_services& gateway, const call& caller,
                       const api::GetActiveQueuesRequest&) {
  auto pools = std::make_shared<std::map<std::string, std::set<std::string>>>();
  each_queue<native::queue_status_ptr>(
      gateway, caller,
      [pools](const native::queue_status_ptr& status) {
        for (const auto& pool : status->active_pools) (*pools)[pool].insert(status->settings.name);
      },
      [caller, pools] {
        api::GetActiveQueuesResponse response;
        for (const auto& [pool, queues] : *pools)
          for (const auto& queue : queues)
            (*response.mutable_active_queues_by_pool())[pool].add_queues(queue);
        caller.reply(response);
      },
      atom::status_v);
}

}  // namespace

void add_jobs_service(method_table& table) {
  table["Jobs.GetJobStatus"] = decoded<api::JobStatusRequest>(get_status);
  table["Jobs.GetJobStatusUsingExternalJobUri"] =
      decoded<api::JobStatusUsingExternalJobUriRequest>(get_status_by_uri);
  table["Jobs.GetJobDetails"] = decoded<api::JobDetailsRequest>(get_details);
  table["Jobs.GetJobErrors"] = decoded<api::JobErrorsRequest>(get_errors);
  table["Jobs.GetJobRunDetails"] = decoded<api::JobRunDetailsRequest>(get_run_details);
  table["Jobs.GetActiveQueues"] = decoded<api::GetActiveQueuesRequest>(get_active_queues);
}

}  // namespace argosy::actors
