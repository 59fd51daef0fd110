// SPDX-License-Identifier: Apache-2.0
#include "messages/codec/rest/rest_calls.hpp"

#include <absl/strings/ascii.h>
#include <google/protobuf/descriptor.h>
#include <google/protobuf/dynamic_message.h>

#include <charconv>
#include <memory>
#include <optional>

#include "messages/codec/api/method_list.hpp"
#include "messages/codec/rest/go_json.hpp"
#include "messages/codec/rest/swagger.hpp"
#include "runtime/base/text.hpp"

namespace argosy::codec {

namespace {

using google::protobuf::DescriptorPool;
using google::protobuf::Message;
using google::protobuf::MessageFactory;
using google::protobuf::MethodDescriptor;

/// A method that the API does not have yet is passed over.
constexpr rest_route all_routes[] = {
    {"POST", "/v1/job/submit", "api.Submit.SubmitJobs"},
    {"POST", "/v1/job/cancel", "api.Submit.CancelJobs"},
    {"POST", "/v1/jobset/cancel", "api.Submit.CancelJobSet"},
    {"POST", "/v1/job/preempt", "api.Submit.PreemptJobs"},
    {"POST", "/v1/job/reprioritize", "api.Submit.ReprioritizeJobs"},
    {"POST", "/v1/queue", "api.Submit.CreateQueue"},
    {"PUT", "/v1/queue/{name}", "api.Submit.UpdateQueue"},
    {"GET", "/v1/queue/{name}", "api.Submit.GetQueue"},
    {"DELETE", "/v1/queue/{name}", "api.Submit.DeleteQueue"},
    {"POST", "/v1/batched/create_queues", "api.Submit.CreateQueues"},
    {"PUT", "/v1/batched/update_queues", "api.Submit.UpdateQueues"},
    {"GET", "/v1/batched/queues", "api.Submit.GetQueues"},
    {"POST", "/v1/job-set/{queue}/{id}", "api.Event.GetJobSetEvents"},
    {"POST", "/v1/job/status", "api.Jobs.GetJobStatus"},
    {"POST", "/v1/job/statusUsingExternalJobUri", "api.Jobs.GetJobStatusUsingExternalJobUri"},
    {"POST", "/v1/job/details", "api.Jobs.GetJobDetails"},
    {"POST", "/v1/job/errors", "api.Jobs.GetJobErrors"},
    {"POST", "/v1/run/details", "api.Jobs.GetJobRunDetails"},
    {"POST", "/v1/queues/active", "api.Jobs.GetActiveQueues"},
    {"POST", "/v1/retry-policy", "api.RetryPolicyService.CreateRetryPolicy"},
    {"PUT", "/v1/retry-policy/{name}", "api.RetryPolicyService.UpdateRetryPolicy"},
    {"GET", "/v1/retry-policy/{name}", "api.RetryPolicyService.GetRetryPolicy"},
    {"DELETE", "/v1/retry-policy/{name}", "api.RetryPolicyService.DeleteRetryPolicy"},
    {"GET", "/v1/retry-policies", "api.RetryPolicyService.GetRetryPolicies"},
    {"GET", "/v1/scheduling-report", "schedulerobjects.SchedulerReporting.GetSchedulingReport"},
    {"GET", "/v1/queue/{queue_name}/scheduler-report",
     "schedulerobjects.SchedulerReporting.GetQueueReport"},
    {"GET", "/v1/job/{job_id}/scheduler-report",
     "schedulerobjects.SchedulerReporting.GetJobReport"},
    {"GET", "/v1/job/{job_id}/explain", "argosy.v1.Explain.ExplainJob"},
    {"GET", "/v1/job/{job_id}/explain/history", "argosy.v1.Explain.ExplainJobHistory"},
    {"GET", "/v1/job/{job_id}/explain/node/{cluster}/{node}", "argosy.v1.Explain.ExplainJobOnNode"},
    {"GET", "/v1/node/{cluster}/{node}/explain", "argosy.v1.Explain.ExplainNode"},
    {"GET", "/v1/rounds", "argosy.v1.Explain.ListRounds"},
    {"GET", "/v1/job/{job_id}/describe", "argosy.v1.Query.DescribeJob"},
    {"GET", "/v1/job/{job_id}/log", "argosy.v1.Logs.Read"},
    {"GET", "/v1/job/{job_id}/trace", "argosy.v1.Trace.GetTrace"},
    {"POST", "/v1/job/hold", "argosy.v1.JobControl.HoldJobs"},
    {"POST", "/v1/job/release", "argosy.v1.JobControl.ReleaseJobs"},
    {"POST", "/v1/jobs/find", "argosy.v1.Query.FindJobs"},
    {"POST", "/v1/jobs/group", "argosy.v1.Query.GroupJobs"},
    {"GET", "/v1/job-sets", "argosy.v1.Query.ListJobSets"},
    {"GET", "/v1/queues", "argosy.v1.Query.ListQueues"},
    {"GET", "/v1/pools", "argosy.v1.Query.ListPools"},
    {"GET", "/v1/clusters", "argosy.v1.Query.ListClusters"},
    {"GET", "/v1/nodes", "argosy.v1.Query.ListNodes"},
    {"GET", "/v1/operations", "argosy.v1.Query.ListOperations"},
    {"GET", "/v1/version", "argosy.v1.Query.GetVersion"},
    {"POST", "/v1/cluster/{name}/cordon", "argosy.v1.ClusterService.CordonCluster"},
    {"POST", "/v1/cluster/{cluster}/drain", "argosy.v1.ClusterService.Drain"},
    {"POST", "/v1/cluster/{cluster}/drain/stop", "argosy.v1.ClusterService.StopDrain"},
    {"POST", "/v1/node/{cluster}/{node}/cordon", "argosy.v1.ClusterService.CordonNode"},
    {"POST", "/v1/node/{cluster}/{node}/drain", "argosy.v1.ClusterService.Drain"},
    {"POST", "/v1/node/{cluster}/{node}/drain/stop", "argosy.v1.ClusterService.StopDrain"},
    {"POST", "/v1/node/{cluster}/{node}/release", "argosy.v1.ClusterService.ReleaseNode"},
    {"GET", "/v1/access/whoami", "argosy.v1.Access.WhoAmI"},
    {"GET", "/v1/access/can-i", "argosy.v1.Access.CanI"},
    {"GET", "/v1/diag/actors", "argosy.v1.Diag.ReadActors"},
    {"GET", "/v1/diag/log-levels", "argosy.v1.Diag.ReadLogLevels"},
    {"POST", "/v1/diag/log-level", "argosy.v1.Diag.SetLogLevel"},
    {"GET", "/v1/diag/log", "argosy.v1.Diag.ReadLines"},
    {"GET", "/v1/settings", "argosy.v1.Settings.Get"},
    {"POST", "/v1/settings", "argosy.v1.Settings.Update"},
    {"POST", "/v1/settings/reload", "argosy.v1.Settings.Reload"},
    {"POST", "/v1/settings/undo", "argosy.v1.Settings.Undo"},
    {"GET", "/v1/settings/changes", "argosy.v1.Settings.ListChanges"},
    {"POST", "/v1/binoculars/log", "binoculars.Binoculars.Logs"},
    {"POST", "/v1/binoculars/cordon", "binoculars.Binoculars.Cordon"},
};

const MethodDescriptor* method_of(const rest_route& route) {
  return DescriptorPool::generated_pool()->FindMethodByName(route.method);
}

std::unique_ptr<Message> make(const google::protobuf::Descriptor* type) {
  return std::unique_ptr<Message>{MessageFactory::generated_factory()->GetPrototype(type)->New()};
}

std::vector<std::string_view> split(std::string_view path) {
  std::vector<std::string_view> out;
  while (true) {
    const auto slash = path.find('/');
    out.push_back(path.substr(0, slash));
    if (slash == std::string_view::npos) return out;
    path.remove_prefix(slash + 1);
  }
}

/// The value of two hexadecimal digits; nothing for anything else.
std::optional<char> escaped(std::string_view digits) {
  unsigned value = 0;
  const auto* const end = digits.data() + digits.size();
  const auto [stop, code] = std::from_chars(digits.data(), end, value, 16);
  if (digits.size() != 2 || code != std::errc{} || stop != end) return std::nullopt;
  return static_cast<char>(value);
}

/// What is no escape stays as it is.
std::string decoded(std::string_view part) {
  std::string out;
  for (std::size_t i = 0; i < part.size(); ++i) {
    const auto byte = part[i] == '%' ? escaped(part.substr(i + 1, 2)) : std::nullopt;
    out += byte.value_or(part[i]);
    if (byte) i += 2;
  }
  return out;
}

std::vector<std::string> decoded_parts(std::string_view path) {
  std::vector<std::string> out;
  for (const auto part : split(path)) out.push_back(decoded(part));
  return out;
}

bool is_field(std::string_view part) {
  return part.size() > 2 && part.front() == '{';
}

/// A request that names jobs and a job set means the whole set if it names no job. Whoever gives an
/// empty id has lost one, and does not mean that.
result<void> check_ids(const go_json& from, const google::protobuf::Message& into) {
  const auto& type = *into.GetDescriptor();
  if (type.FindFieldByName("job_ids") == nullptr || type.FindFieldByName("job_set_id") == nullptr)
    return {};
  if (!from.is_object()) return {};
  for (const auto& [name, value] : from.items()) {
    std::string plain;
    for (const char c : name)
      if (c != '_') plain += absl::ascii_tolower(static_cast<unsigned char>(c));
    const bool is_empty = (plain == "jobid" && value == "") ||
                          (plain == "jobids" && value.is_array() && value.empty());
    if (is_empty)
      return fail(ec::invalid_argument,
                  "'" + shown(name) +
                      "' is empty; name a job, or leave the field out to mean the whole job set");
  }
  return {};
}

/// Whoever names one thing in the path and another beside it has mistaken one of them.
result<void> check_same(const google::protobuf::Message& beside, const std::string& name,
                        const std::string& value) {
  const auto* field = beside.GetDescriptor()->FindFieldByName(name);
  if (field->is_repeated() ||
      field->cpp_type() != google::protobuf::FieldDescriptor::CPPTYPE_STRING)
    return {};
  const auto other = beside.GetReflection()->GetString(beside, field);
  if (other.empty() || other == value) return {};
  return fail(ec::invalid_argument, "the path names '" + shown(value) + "' as " + name +
                                        ", and the request '" + shown(other) +
                                        "'; name one of them, or the same twice");
}

}  // namespace

const std::vector<rest_route>& rest_routes() {
  static const auto known = [] {
    // The pool finds only files that somebody has asked for.
    static_cast<void>(api_methods());
    std::vector<rest_route> out;
    for (const auto& route : all_routes)
      if (method_of(route) != nullptr) out.push_back(route);
    return out;
  }();
  return known;
}

rest_match match_route(std::string_view verb, std::string_view path) {
  const auto parts = decoded_parts(path);
  rest_match out;
  for (const auto& route : rest_routes()) {
    const auto wanted = split(route.pattern);
    if (wanted.size() != parts.size()) continue;
    std::vector<std::pair<std::string, std::string>> fields;
    bool same = true;
    for (std::size_t i = 0; same && i < parts.size(); ++i) {
      if (is_field(wanted[i]) && !parts[i].empty())
        fields.emplace_back(wanted[i].substr(1, wanted[i].size() - 2), parts[i]);
      else
        same = wanted[i] == parts[i];
    }
    if (!same) continue;
    if (verb == route.verb) return {&route, false, std::move(fields)};
    out.other_verb = true;
  }
  return out;
}

std::string grpc_path(const rest_route& route) {
  const auto& method = *method_of(route);
  return "/" + method.service()->full_name() + "/" + method.name();
}

result<std::string> rest_request(const rest_match& match, std::string_view body,
                                 const std::vector<std::pair<std::string, std::string>>& query,
                                 unknown_fields unknown) {
  auto into = make(method_of(*match.route)->input_type());
  const std::string_view verb = match.route->verb;
  const bool by_query = verb == "GET" || verb == "DELETE";
  const bool is_strict = unknown == unknown_fields::refused;
  if (by_query) {
    if (is_strict && verb == "DELETE" && !body.empty())
      return fail(ec::invalid_argument, "this method takes no body");
    for (const auto& [name, value] : query)
      if (auto done = read_parameter(name, value, *into, unknown); !done) return fail(done.error());
  } else {
    if (is_strict && !query.empty())
      return fail(ec::invalid_argument, "the parameter '" + shown(query.front().first) +
                                            "' stands in the query; this method takes its fields "
                                            "from the body");
    if (!body.empty()) {
      const auto json = parse_json(body);
      if (!json) return fail(json.error());
      if (auto done = read_go_json(*json, *into, unknown); !done) return fail(done.error());
      if (auto done = is_strict ? check_ids(*json, *into) : result<void>{}; !done)
        return fail(done.error());
    }
  }
  for (const auto& [name, value] : match.fields) {
    if (auto done = is_strict ? check_same(*into, name, value) : result<void>{}; !done)
      return fail(done.error());
    into->GetReflection()->ClearField(into.get(), into->GetDescriptor()->FindFieldByName(name));
    if (auto done = read_parameter(name, value, *into); !done) return fail(done.error());
  }
  return into->SerializePartialAsString();
}

result<std::string> rest_answer(const rest_route& route, std::string_view bytes) {
  auto answer = make(method_of(route)->output_type());
  if (!answer->ParsePartialFromString(std::string{bytes}))
    return fail(ec::internal, "the answer cannot be read");
  return go_json_text(*answer);
}

std::string swagger_json() {
  std::vector<described_route> routes;
  for (const auto& route : rest_routes()) {
    described_route one{absl::AsciiStrToLower(route.verb), route.pattern, {}, method_of(route)};
    for (const auto part : split(route.pattern))
      if (is_field(part)) one.fields.emplace_back(part.substr(1, part.size() - 2));
    routes.push_back(std::move(one));
  }
  return swagger_json(routes);
}

}  // namespace argosy::codec
