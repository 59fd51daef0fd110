// SPDX-License-Identifier: Apache-2.0
#include "messages/codec/rest/lookout_calls.hpp"

#include <array>
#include <memory>

#include "messages/codec/api/job_codec.hpp"
#include "messages/codec/rest/lookout_jobs.hpp"
#include "messages/proto/argosy/v1.pb.h"
#include "runtime/base/text.hpp"

namespace argosy::codec {

namespace {

constexpr const char* find_method = "/argosy.v1.Query/FindJobs";

std::string text_of(const go_json& json) {
  return json.dump(-1, ' ', false, go_json::error_handler_t::replace);
}

template <class Message>
result<Message> decoded(std::string_view bytes) {
  Message out;
  if (!out.ParseFromArray(bytes.data(), static_cast<int>(bytes.size())))
    return fail(ec::internal, "the answer cannot be read");
  return out;
}

/// A member of the body that has to be a text.
result<std::string> needed(std::string_view body, const char* name, unknown_fields unknown) {
  const auto json = parse_json(body);
  if (!json) return fail(json.error());
  if (!json->is_object()) return fail(ec::invalid_argument, "the body is not an object");
  if (auto ok = check_members(*json, {}, {name}, unknown); !ok) return fail(ok.error());
  const auto found = json->find(name);
  if (found == json->end() || !found->is_string())
    return fail(ec::invalid_argument, std::string{name} + " is missing or no text");
  return found->get<std::string>();
}

lookout_call search_jobs(unknown_fields unknown) {
  return {find_method,
          [unknown](std::string_view body) -> result<std::string> {
            const auto json = parse_json(body);
            if (!json) return fail(json.error());
            const auto request = read_lookout_search(*json, unknown);
            if (!request) return fail(request.error());
            return request->SerializeAsString();
          },
          [](std::string_view bytes) -> result<std::string> {
            const auto found = decoded<v1::FindJobsResponse>(bytes);
            if (!found) return fail(found.error());
            return text_of(lookout_jobs(*found));
          }};
}

lookout_call group_jobs(unknown_fields unknown) {
  const auto wanted = std::make_shared<lookout_aggregates>();
  return {"/argosy.v1.Query/GroupJobs",
          [wanted, unknown](std::string_view body) -> result<std::string> {
            const auto json = parse_json(body);
            if (!json) return fail(json.error());
            const auto request = read_lookout_groups(*json, unknown, *wanted);
            if (!request) return fail(request.error());
            return request->SerializeAsString();
          },
          [wanted](std::string_view bytes) -> result<std::string> {
            const auto found = decoded<v1::GroupJobsResponse>(bytes);
            if (!found) return fail(found.error());
            return text_of(lookout_groups(*found, *wanted));
          }};
}

lookout_call job_spec(unknown_fields unknown) {
  const auto id = std::make_shared<std::string>();
  return {"/api.Jobs/GetJobDetails",
          [id, unknown](std::string_view body) -> result<std::string> {
            auto named = needed(body, "jobId", unknown);
            if (!named) return fail(named.error());
            *id = lower_case(*named);
            api::JobDetailsRequest request;
            request.add_job_ids(*id);
            request.set_expand_job_spec(true);
            return request.SerializeAsString();
          },
          [id](std::string_view bytes) -> result<std::string> {
            const auto found = decoded<api::JobDetailsResponse>(bytes);
            if (!found) return fail(found.error());
            const auto job = found->job_details().find(*id);
            if (job == found->job_details().end())
              return fail(ec::not_found, "job " + shown(*id) + " does not exist");
            return text_of({{"job", to_go_json(job->second.job_spec())}});
          }};
}

lookout_call job_error(unknown_fields unknown) {
  const auto id = std::make_shared<std::string>();
  return {"/api.Jobs/GetJobErrors",
          [id, unknown](std::string_view body) -> result<std::string> {
            auto named = needed(body, "jobId", unknown);
            if (!named) return fail(named.error());
            *id = lower_case(*named);
            api::JobErrorsRequest request;
            request.add_job_ids(*id);
            return request.SerializeAsString();
          },
          [id](std::string_view bytes) -> result<std::string> {
            const auto found = decoded<api::JobErrorsResponse>(bytes);
            if (!found) return fail(found.error());
            const auto why = found->job_errors().find(*id);
            if (why == found->job_errors().end())
              return fail(ec::not_found, "job " + shown(*id) + " does not exist");
            return text_of({{"errorString", why->second}});
          }};
}

/// A text about a run. The run is found by the jobs that its id may belong to.
lookout_call about_run(const char* member, unknown_fields unknown,
                       std::string (*text)(const v1::FoundJob&, const v1::FoundRun&)) {
  const auto id = std::make_shared<std::string>();
  return {find_method,
          [id, unknown](std::string_view body) -> result<std::string> {
            auto named = needed(body, "runId", unknown);
            if (!named) return fail(named.error());
            *id = lower_case(*named);
            const auto jobs = jobs_of_run(*id);
            if (jobs.empty())
              return fail(ec::invalid_argument, "'" + shown(*named) + "' is no id of a run");
            v1::FindJobsRequest request;
            auto& any = *request.add_conditions();
            any.set_field("jobId");
            any.set_match("anyOf");
            for (const auto& job : jobs) any.add_values(to_string(job));
            return request.SerializeAsString();
          },
          [id, member, text](std::string_view bytes) -> result<std::string> {
            const auto found = decoded<v1::FindJobsResponse>(bytes);
            if (!found) return fail(found.error());
            for (const auto& job : found->jobs())
              for (const auto& run : job.runs())
                if (run.run_id() == *id) return text_of({{member, text(job, run)}});
            return fail(ec::not_found, "run " + shown(*id) + " does not exist");
          }};
}

lookout_call run_error(unknown_fields unknown) {
  return about_run("errorString", unknown,
                   [](const v1::FoundJob&, const v1::FoundRun& run) { return run.error(); });
}

lookout_call run_debug_message(unknown_fields unknown) {
  return about_run("errorString", unknown,
                   [](const v1::FoundJob&, const v1::FoundRun& run) { return run.note(); });
}

lookout_call run_termination_reason(unknown_fields unknown) {
  return about_run(
      "schedulerTerminationReason", unknown, [](const v1::FoundJob& job, const v1::FoundRun& run) {
        return run.state() == "RUN_PREEMPTED" ? text_of({{"reason", job.summary().reason()}}) : "";
      });
}

lookout_call version(unknown_fields /*unknown*/) {
  return {"/argosy.v1.Query/GetVersion",
          [](std::string_view) -> result<std::string> {
            return v1::GetVersionRequest{}.SerializeAsString();
          },
          [](std::string_view bytes) -> result<std::string> {
            const auto found = decoded<v1::GetVersionResponse>(bytes);
            if (!found) return fail(found.error());
            return text_of(
                {{"version", found->version()}, {"commit", found->commit()}, {"buildTime", ""}});
          }};
}

struct lookout_route {
  std::string_view verb;
  std::string_view path;
  lookout_call (*make)(unknown_fields);
};

constexpr std::array lookout_routes{
    lookout_route{"GET", "/api/v1/version", version},
    lookout_route{"POST", "/api/v1/jobs", search_jobs},
    lookout_route{"POST", "/api/v1/jobGroups", group_jobs},
    lookout_route{"POST", "/api/v1/jobSpec", job_spec},
    lookout_route{"POST", "/api/v1/jobError", job_error},
    lookout_route{"POST", "/api/v1/jobRunError", run_error},
    lookout_route{"POST", "/api/v1/jobRunDebugMessage", run_debug_message},
    lookout_route{"POST", "/api/v1/jobRunSchedulerTerminationReason", run_termination_reason},
};

}  // namespace

lookout_match match_lookout(std::string_view verb, std::string_view path, unknown_fields unknown) {
  lookout_match out;
  for (const auto& route : lookout_routes) {
    if (route.path != path) continue;
    if (route.verb == verb)
      out.call = route.make(unknown);
    else
      out.other_verb = true;
  }
  return out;
}

}  // namespace argosy::codec
