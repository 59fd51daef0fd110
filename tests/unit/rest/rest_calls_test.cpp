// SPDX-License-Identifier: Apache-2.0
// Goal: requests over REST become the messages that clients mean, whatever stands in the names of
// their paths, and answers are the JSON that they read. Method: texts in, messages out, and the
// other way round; every route that takes names, with names that have to be escaped, and with
// bodies that name something else.
#include <gmock/gmock.h>

#include <functional>
#include <string>

#include "messages/codec/rest/go_json.hpp"
#include "messages/codec/rest/rest_calls.hpp"
#include "messages/proto/api/binoculars.pb.h"
#include "messages/proto/api/event.pb.h"
#include "messages/proto/api/job.pb.h"
#include "messages/proto/api/scheduler_reporting.pb.h"
#include "messages/proto/api/submit.pb.h"
#include "messages/proto/argosy/explain.pb.h"

namespace argosy::codec {

namespace {

using ::testing::HasSubstr;

template <class T>
result<T> read(const char* verb, const char* path, std::string_view body,
               const std::vector<std::pair<std::string, std::string>>& query = {}) {
  const auto bytes = rest_request(match_route(verb, path), body, query);
  if (!bytes) return fail(bytes.error());
  T out;
  EXPECT_TRUE(out.ParseFromString(*bytes));
  return out;
}

template <class T>
std::string write(const char* verb, const char* path, const T& from) {
  return rest_answer(*match_route(verb, path).route, from.SerializeAsString()).value();
}

TEST(rest_route_table, finds_the_method_by_verb_and_path) {
  const std::vector<std::array<const char*, 3>> expected{
      {"POST", "/v1/job/submit", "/api.Submit/SubmitJobs"},
      {"POST", "/v1/job/cancel", "/api.Submit/CancelJobs"},
      {"POST", "/v1/jobset/cancel", "/api.Submit/CancelJobSet"},
      {"POST", "/v1/job/reprioritize", "/api.Submit/ReprioritizeJobs"},
      {"POST", "/v1/queue", "/api.Submit/CreateQueue"},
      {"PUT", "/v1/queue/a", "/api.Submit/UpdateQueue"},
      {"GET", "/v1/queue/a", "/api.Submit/GetQueue"},
      {"DELETE", "/v1/queue/a", "/api.Submit/DeleteQueue"},
      {"POST", "/v1/batched/create_queues", "/api.Submit/CreateQueues"},
      {"PUT", "/v1/batched/update_queues", "/api.Submit/UpdateQueues"},
      {"GET", "/v1/batched/queues", "/api.Submit/GetQueues"},
      {"POST", "/v1/job-set/a/b", "/api.Event/GetJobSetEvents"},
      {"POST", "/v1/job/status", "/api.Jobs/GetJobStatus"},
      {"POST", "/v1/job/details", "/api.Jobs/GetJobDetails"},
      {"POST", "/v1/job/errors", "/api.Jobs/GetJobErrors"},
      {"POST", "/v1/run/details", "/api.Jobs/GetJobRunDetails"},
      {"POST", "/v1/queues/active", "/api.Jobs/GetActiveQueues"},
      {"POST", "/v1/job/statusUsingExternalJobUri", "/api.Jobs/GetJobStatusUsingExternalJobUri"},
      {"GET", "/v1/scheduling-report", "/schedulerobjects.SchedulerReporting/GetSchedulingReport"},
      {"GET", "/v1/queue/a/scheduler-report",
       "/schedulerobjects.SchedulerReporting/GetQueueReport"},
      {"GET", "/v1/job/a/scheduler-report", "/schedulerobjects.SchedulerReporting/GetJobReport"},
      {"GET", "/v1/job/a/explain", "/argosy.v1.Explain/ExplainJob"},
      {"GET", "/v1/job/a/explain/history", "/argosy.v1.Explain/ExplainJobHistory"},
      {"GET", "/v1/job/a/explain/node/c/n", "/argosy.v1.Explain/ExplainJobOnNode"},
      {"GET", "/v1/node/c/n/explain", "/argosy.v1.Explain/ExplainNode"},
      {"GET", "/v1/rounds", "/argosy.v1.Explain/ListRounds"},
      {"GET", "/v1/diag/actors", "/argosy.v1.Diag/ReadActors"},
      {"GET", "/v1/diag/log-levels", "/argosy.v1.Diag/ReadLogLevels"},
      {"POST", "/v1/diag/log-level", "/argosy.v1.Diag/SetLogLevel"},
      {"GET", "/v1/diag/log", "/argosy.v1.Diag/ReadLines"},
      {"GET", "/v1/access/whoami", "/argosy.v1.Access/WhoAmI"},
      {"GET", "/v1/access/can-i", "/argosy.v1.Access/CanI"},
      {"POST", "/v1/binoculars/log", "/binoculars.Binoculars/Logs"},
      {"POST", "/v1/binoculars/cordon", "/binoculars.Binoculars/Cordon"}};
  for (const auto& [verb, path, method] : expected) {
    const auto found = match_route(verb, path);
    ASSERT_NE(found.route, nullptr) << path;
    EXPECT_EQ(grpc_path(*found.route), method);
  }
}

TEST(rest_route_table, tells_an_unknown_path_from_an_unknown_verb) {
  for (const auto* path : {"", "/", "/v1", "/v1/queue/", "/v1/queue/a/b", "/v1/job-set/a"})
    EXPECT_FALSE(match_route("GET", path).other_verb) << path;
  const auto other = match_route("PATCH", "/v1/queue/a");
  EXPECT_EQ(other.route, nullptr);
  EXPECT_TRUE(other.other_verb);
}

TEST(rest_requests, take_the_filter_of_a_report_by_its_dotted_name) {
  const auto got = read<schedulerobjects::SchedulingReportRequest>(
      "GET", "/v1/scheduling-report", "",
      {{"most_recent_for_queue.queue_name", "a"}, {"verbosity", "2"}});
  ASSERT_TRUE(got);
  EXPECT_EQ(got->most_recent_for_queue().queue_name(), "a");
  EXPECT_EQ(got->verbosity(), 2);
  EXPECT_EQ(
      read<schedulerobjects::JobReportRequest>("GET", "/v1/job/x/scheduler-report", "")->job_id(),
      "x");
}

TEST(rest_requests, to_explain_take_names_from_the_path_and_the_rest_from_the_query) {
  const auto past =
      read<argosy::v1::ExplainJobRequest>("GET", "/v1/job/x/explain", "", {{"round", "12"}});
  ASSERT_TRUE(past);
  EXPECT_EQ(past->job_id(), "x");
  EXPECT_EQ(past->round(), 12U);
  const auto on_node =
      read<argosy::v1::ExplainJobOnNodeRequest>("GET", "/v1/job/x/explain/node/east/n7", "");
  ASSERT_TRUE(on_node);
  EXPECT_EQ(on_node->cluster(), "east");
  EXPECT_EQ(on_node->node(), "n7");
  const auto node = read<argosy::v1::ExplainNodeRequest>("GET", "/v1/node/east/n7/explain", "",
                                                         {{"queue", "a"}, {"limit", "5"}});
  ASSERT_TRUE(node);
  EXPECT_EQ(node->queue(), "a");
  EXPECT_EQ(node->limit(), 5U);
  EXPECT_FALSE(
      read<argosy::v1::ExplainJobRequest>("GET", "/v1/job/x/explain", "", {{"round", "first"}}));
}

TEST(rest_requests, take_the_options_of_pod_logs) {
  const auto got = read<binoculars::LogRequest>(
      "POST", "/v1/binoculars/log",
      R"({"jobId":"x","sinceTime":"t","logOptions":{"container":"c","tailLines":5}})");
  ASSERT_TRUE(got);
  EXPECT_EQ(got->job_id(), "x");
  EXPECT_EQ(got->since_time(), "t");
  EXPECT_EQ(got->log_options().container(), "c");
  EXPECT_EQ(got->log_options().taillines(), 5);
}

TEST(rest_requests, match_names_without_case_and_as_messages_have_them) {
  const auto got = read<api::JobSubmitRequest>("POST", "/v1/job/submit",
                                               R"({"QUEUE":"a","job_set_id":"s",
          "jobRequestItems":[{"priority":2,"labels":{"x":"y"}}]})");
  ASSERT_TRUE(got) << got.error().detail;
  EXPECT_EQ(got->queue(), "a");
  EXPECT_EQ(got->job_set_id(), "s");
  ASSERT_EQ(got->job_request_items_size(), 1);
  EXPECT_EQ(got->job_request_items(0).priority(), 2.0);
  EXPECT_EQ(got->job_request_items(0).labels().at("x"), "y");
}

TEST(rest_requests, may_have_no_body) {
  EXPECT_TRUE(read<api::JobSubmitRequest>("POST", "/v1/job/submit", ""));
  EXPECT_TRUE(read<api::JobSubmitRequest>("POST", "/v1/job/submit", "null"));
}

TEST(rest_requests, take_the_path_before_the_body) {
  const auto got = read<api::Queue>("PUT", "/v1/queue/a", R"({"priorityFactor":2})");
  ASSERT_TRUE(got);
  EXPECT_EQ(got->name(), "a");
  EXPECT_EQ(got->priority_factor(), 2.0);
  const auto set =
      read<api::JobSetRequest>("POST", "/v1/job-set/q/s", R"({"watch":true,"fromMessageId":"7"})");
  ASSERT_TRUE(set);
  EXPECT_EQ(set->queue(), "q");
  EXPECT_EQ(set->id(), "s");
  EXPECT_EQ(set->from_message_id(), "7");
  EXPECT_TRUE(set->watch());
}

TEST(rest_requests, take_the_query_by_field_name) {
  const auto got =
      read<api::StreamingQueueGetRequest>("GET", "/v1/batched/queues", "", {{"num", "5"}});
  ASSERT_TRUE(got);
  EXPECT_EQ(got->num(), 5u);
  EXPECT_FALSE(
      read<api::StreamingQueueGetRequest>("GET", "/v1/batched/queues", "", {{"num", "many"}}));
}

TEST(rest_requests, take_states_by_name_or_number) {
  const auto got = read<api::JobSetCancelRequest>("POST", "/v1/jobset/cancel",
                                                  R"({"filter":{"states":["PENDING",2]}})");
  ASSERT_TRUE(got);
  EXPECT_EQ(got->filter().states(0), api::PENDING);
  EXPECT_EQ(got->filter().states(1), api::RUNNING);
  EXPECT_FALSE(read<api::JobSetCancelRequest>("POST", "/v1/jobset/cancel",
                                              R"({"filter":{"states":["ASLEEP"]}})"));
}

TEST(rest_requests, read_pods_as_kubernetes_writes_them) {
  const auto got = read<api::JobSubmitRequest>("POST", "/v1/job/submit", R"({"jobRequestItems":[
      {"podSpec":{"terminationGracePeriodSeconds":0,"containers":[{"name":"c","image":"i",
        "resources":{"requests":{"cpu":1,"memory":"1Gi"}},
        "livenessProbe":{"httpGet":{"port":"web"},"periodSeconds":3}}],
        "volumes":[{"name":"v","emptyDir":{"sizeLimit":"2Gi"}}]}}]})");
  ASSERT_TRUE(got) << got.error().detail;
  const auto& pod = got->job_request_items(0).pod_spec();
  EXPECT_TRUE(pod.has_terminationgraceperiodseconds());
  const auto& requests = pod.containers(0).resources().requests();
  EXPECT_EQ(requests.at("cpu").string(), "1");
  EXPECT_EQ(requests.at("memory").string(), "1Gi");
  api::JobSubmitRequest again;
  api::JobDetailsResponse shown;
  *(*shown.mutable_job_details())["j"].mutable_job_spec()->mutable_pod_spec() = pod;
  const auto text = write("POST", "/v1/job/details", shown);
  EXPECT_THAT(text, HasSubstr(R"("requests":{"cpu":"1","memory":"1Gi"})"));
  EXPECT_THAT(text, HasSubstr(R"("livenessProbe":{"httpGet":{"port":"web"},"periodSeconds":3})"));
  EXPECT_THAT(text, HasSubstr(R"("volumes":[{"name":"v","emptyDir":{"sizeLimit":"2Gi"}}])"));
  EXPECT_THAT(text, HasSubstr(R"("terminationGracePeriodSeconds":0)"));
}

TEST(rest_requests, are_refused_if_they_are_no_json_of_their_type) {
  const std::string deep(10'000, '[');
  for (const std::string& body :
       {std::string{"{"}, std::string{"[]"}, std::string{"7"}, std::string{"{\"queue\":1}"},
        std::string{"{\"jobRequestItems\":{}}"}, std::string{"{\"queue\":\"a\"} x"},
        std::string{"{\"jobRequestItems\":[{\"priority\":\"x\"}]}"}, "{\"x\":" + deep,
        deep + std::string(10'000, ']')}) {
    const auto got = read<api::JobSubmitRequest>("POST", "/v1/job/submit", body);
    ASSERT_FALSE(got) << body.substr(0, 40);
    EXPECT_EQ(got.error().code, ec::invalid_argument);
  }
}

TEST(rest_answers, leave_out_what_is_zero) {
  EXPECT_EQ(write("GET", "/v1/queue/a", api::Queue{}), "{}");
  EXPECT_EQ(rest_answer(*match_route("POST", "/v1/queue").route, "").value(), "{}");
}

TEST(rest_answers, have_states_as_numbers_and_keep_zero_in_maps) {
  api::JobStatusResponse from;
  (*from.mutable_job_states())["b"] = api::RUNNING;
  (*from.mutable_job_states())["a"] = api::QUEUED;
  EXPECT_EQ(write("POST", "/v1/job/status", from), R"({"jobStates":{"a":0,"b":2}})");
}

TEST(rest_answers, have_times_as_seconds_and_keys_as_texts) {
  api::JobRunDetailsResponse from;
  auto& run = (*from.mutable_job_run_details())["r"];
  run.mutable_leased_ts()->set_seconds(5'000'000'000);
  run.mutable_leased_ts()->set_nanos(7);
  (*run.mutable_ingress_addresses())[80] = "here";
  EXPECT_EQ(write("POST", "/v1/run/details", from),
            R"({"jobRunDetails":{"r":{"leasedTs":{"seconds":5000000000,"nanos":7},)"
            R"("ingressAddresses":{"80":"here"}}}})");
}

TEST(rest_answers, write_the_kind_of_an_event_beside_it_but_that_of_a_queue_inside) {
  api::EventStreamMessage event;
  event.set_id("1");
  event.mutable_message()->mutable_queued()->set_job_id("j");
  EXPECT_EQ(write("POST", "/v1/job-set/a/b", event),
            R"({"id":"1","message":{"queued":{"jobId":"j"}}})");
  api::StreamingQueueMessage queue;
  queue.mutable_queue()->set_name("a");
  EXPECT_EQ(write("GET", "/v1/batched/queues", queue), R"({"Event":{"queue":{"name":"a"}}})");
  queue.mutable_end();
  EXPECT_EQ(write("GET", "/v1/batched/queues", queue), R"({"Event":{"end":{}}})");
}

TEST(rest_description, has_every_route) {
  const auto text = swagger_json();
  for (const auto& route : rest_routes()) EXPECT_THAT(text, HasSubstr(route.pattern));
}

TEST(rest_description, tells_what_each_route_takes_and_gives) {
  const auto all = go_json::parse(swagger_json());
  const auto& submit = all["paths"]["/v1/job/submit"]["post"];
  EXPECT_EQ(submit["parameters"][0]["schema"]["$ref"], "#/definitions/api.JobSubmitRequest");
  EXPECT_EQ(submit["responses"]["200"]["schema"]["$ref"], "#/definitions/api.JobSubmitResponse");
  const auto& request = all["definitions"]["api.JobSubmitRequest"]["properties"];
  EXPECT_EQ(request["jobSetId"]["type"], "string");
  EXPECT_EQ(request["jobRequestItems"]["items"]["$ref"], "#/definitions/api.JobSubmitRequestItem");
  const auto& item = all["definitions"]["api.JobSubmitRequestItem"]["properties"];
  EXPECT_EQ(item["annotations"]["additionalProperties"]["type"], "string");
}

TEST(rest_description, names_the_parameters_of_a_query_beside_those_of_the_path) {
  const auto all = go_json::parse(swagger_json());
  const auto in = [&](const char* path, const std::string& place) {
    std::vector<std::string> names;
    for (const auto& one : all["paths"][path]["get"]["parameters"])
      if (one["in"] == place) names.push_back(one["name"]);
    return names;
  };
  EXPECT_THAT(in("/v1/job/{job_id}/explain", "path"), ::testing::ElementsAre("job_id"));
  EXPECT_THAT(
      in("/v1/job/{job_id}/explain", "query"),
      ::testing::AllOf(::testing::Contains("round"), ::testing::Not(::testing::Contains("jobId"))));
}

TEST(rest_description, defines_each_message_that_it_refers_to) {
  const auto all = go_json::parse(swagger_json());
  std::function<void(const go_json&)> look = [&](const go_json& at) {
    if (at.is_object() && at.contains("$ref")) {
      const auto name = at["$ref"].get<std::string>().substr(std::string{"#/definitions/"}.size());
      EXPECT_TRUE(all["definitions"].contains(name)) << name;
    }
    if (at.is_structured())
      for (const auto& inner : at) look(inner);
  };
  look(all);
}

TEST(rest_route_table, takes_names_with_slashes_and_escapes_wherever_a_name_may_stand) {
  for (const auto& route : rest_routes()) {
    std::string path = route.pattern;
    std::size_t names = 0;
    for (auto at = path.find('{'); at != std::string::npos; at = path.find('{'), ++names)
      path.replace(at, path.find('}') - at + 1, "a%2Fb%20%25%c3%BC");
    const auto found = match_route(route.verb, path);
    ASSERT_NE(found.route, nullptr) << path;
    EXPECT_STREQ(found.route->method, route.method) << path;
    ASSERT_EQ(found.fields.size(), names) << path;
    for (const auto& [field, value] : found.fields) EXPECT_EQ(value, "a/b %\xc3\xbc") << path;
  }
  EXPECT_EQ(match_route("GET", "/v1/queue/%zz%4").fields.at(0).second, "%zz%4");
  EXPECT_EQ(match_route("GET", "/v1%2Fqueue/a").route, nullptr);
}

TEST(rest_requests, are_refused_if_path_and_body_name_two_things) {
  const auto path = match_route("PUT", "/v1/queue/a");
  const auto other = rest_request(path, R"({"name":"b","priorityFactor":2})", {});
  ASSERT_FALSE(other);
  EXPECT_EQ(other.error().code, ec::invalid_argument);
  EXPECT_THAT(other.error().detail, HasSubstr("'a' as name, and the request 'b'"));
  EXPECT_TRUE(rest_request(path, R"({"name":"a"})", {}));
  EXPECT_TRUE(rest_request(path, R"({"name":"b"})", {}, unknown_fields::passed))
      << "as Armada does";
  EXPECT_FALSE(rest_request(match_route("POST", "/v1/job-set/q/s"), R"({"queue":"r"})", {}));
  EXPECT_FALSE(rest_request(match_route("GET", "/v1/queue/a"), "", {{"name", "b"}}));
}

}  // namespace

}  // namespace argosy::codec
