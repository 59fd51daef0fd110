// SPDX-License-Identifier: Apache-2.0
// Goal: Lookout's routes ask what its page means, and answer in its fields. Method: bodies in,
// messages out, and the other way round.
#include "messages/codec/rest/lookout_calls.hpp"

#include <gmock/gmock.h>

#include "messages/codec/api/job_codec.hpp"
#include "messages/codec/rest/go_json.hpp"
#include "messages/proto/argosy/v1.pb.h"

namespace argosy::codec {

namespace {

using ::testing::HasSubstr;

constexpr const char* jobs_path = "/api/v1/jobs";
constexpr const char* groups_path = "/api/v1/jobGroups";

template <class T>
T read(const lookout_call& call, std::string_view body) {
  const auto bytes = call.request(body);
  EXPECT_TRUE(bytes) << bytes.error().detail;
  T out;
  EXPECT_TRUE(bytes && out.ParseFromString(*bytes));
  return out;
}

std::string refusal(const char* path, std::string_view body) {
  const auto bytes = match_lookout("POST", path).call->request(body);
  EXPECT_FALSE(bytes) << body;
  return bytes ? "" : bytes.error().detail;
}

go_json written(const lookout_call& call, const google::protobuf::Message& answer) {
  const auto text = call.answer(answer.SerializeAsString());
  EXPECT_TRUE(text) << text.error().detail;
  return text ? go_json::parse(*text) : go_json{};
}

TEST(lookout_routes, are_found_by_verb_and_path) {
  EXPECT_EQ(match_lookout("POST", jobs_path).call->method, "/argosy.v1.Query/FindJobs");
  EXPECT_EQ(match_lookout("POST", groups_path).call->method, "/argosy.v1.Query/GroupJobs");
  EXPECT_EQ(match_lookout("GET", "/api/v1/version").call->method, "/argosy.v1.Query/GetVersion");
  EXPECT_EQ(match_lookout("POST", "/api/v1/jobSpec").call->method, "/api.Jobs/GetJobDetails");
  EXPECT_TRUE(match_lookout("GET", jobs_path).other_verb);
  EXPECT_FALSE(match_lookout("POST", "/api/v1/nothing").call);
}

TEST(lookout_jobs, are_searched_by_filters_and_order) {
  const auto call = *match_lookout("POST", jobs_path).call;
  const auto request = read<v1::FindJobsRequest>(call, R"({
    "filters": [
      {"field": "queue", "value": "a", "match": "startsWith"},
      {"field": "state", "value": ["FAILED", "QUEUED"], "match": "anyOf"},
      {"field": "cpu", "value": 1500, "match": "greaterThan"},
      {"field": "memory", "value": "1073741824", "match": "exact"},
      {"field": "team", "value": "sea", "match": "exact", "isAnnotation": true},
      {"field": "seen", "match": "exists", "isAnnotation": true}],
    "order": {"field": "lastTransitionTime", "direction": "DESC"},
    "activeJobSets": true, "skip": 20, "take": 10})");
  ASSERT_EQ(request.conditions_size(), 6);
  EXPECT_EQ(request.conditions(0).match(), "startsWith");
  EXPECT_EQ(request.conditions(1).values_size(), 2);
  EXPECT_EQ(request.conditions(2).values(0), "1500m");
  EXPECT_EQ(request.conditions(3).values(0), "1073741824");
  EXPECT_EQ(request.conditions(4).field(), "annotation");
  EXPECT_EQ(request.conditions(4).key(), "team");
  EXPECT_EQ(request.conditions(5).values_size(), 0);
  EXPECT_EQ(request.order_by(), "lastTransitionTime");
  EXPECT_FALSE(request.ascending());
  EXPECT_TRUE(request.active_job_sets());
  EXPECT_EQ(request.skip(), 20u);
  EXPECT_EQ(request.limit(), 10u);
}

TEST(lookout_jobs, say_which_member_is_wrong) {
  EXPECT_THAT(refusal(jobs_path, "[]"), HasSubstr("the body is not an object"));
  EXPECT_THAT(refusal(jobs_path, "{"), HasSubstr("JSON"));
  EXPECT_THAT(refusal(jobs_path, "{}"), HasSubstr("filters is missing"));
  EXPECT_THAT(refusal(jobs_path, R"({"filters":[]})"), HasSubstr("order is missing"));
  EXPECT_THAT(refusal(jobs_path, R"({"filters":[7],"order":{}})"), HasSubstr("a filter"));
  EXPECT_THAT(refusal(jobs_path, R"({"filters":[],"order":{"field":"jobId","direction":"UP"}})"),
              HasSubstr("order.direction"));
  EXPECT_THAT(refusal(jobs_path, R"({"filters":[],"skip":-1,"order":{}})"), HasSubstr("skip"));
  EXPECT_THAT(refusal(jobs_path, R"({"filters":[{"field":"queue","value":{}}],"order":{}})"),
              HasSubstr("the filter on 'queue'"));
}

TEST(lookout_jobs, are_refused_for_members_that_are_not_known) {
  const auto said = [](const char* member) {
    return HasSubstr("'" + std::string{member} + "' is not known");
  };
  EXPECT_THAT(refusal(jobs_path, R"({"filter":[],"filters":[],"order":{}})"), said("filter"));
  EXPECT_THAT(refusal(jobs_path, R"({"filters":[{"feld":"queue"}],"order":{}})"),
              said("filters.feld"));
  EXPECT_THAT(refusal(jobs_path, R"({"filters":[],"order":{"by":"jobId"}})"), said("order.by"));
  EXPECT_THAT(refusal(groups_path, R"({"filters":[],"order":{"direction":"ASC"},
                                       "groupedField":{"name":"queue"}})"),
              said("groupedField.name"));
  EXPECT_THAT(refusal("/api/v1/jobSpec", R"({"jobId":"x","id":"y"})"), said("id"));
  const auto call = match_lookout("POST", jobs_path, unknown_fields::passed).call;
  EXPECT_TRUE(call->request(R"({"x":1,"filters":[],"order":{"field":"jobId","direction":"ASC"}})"));
}

TEST(lookout_jobs, are_written_in_its_fields) {
  v1::FindJobsResponse found;
  auto& job = *found.add_jobs();
  auto& of = *job.mutable_summary();
  of.set_job_id("01h");
  of.set_queue("a");
  of.set_job_set("s");
  of.set_owner("ann");
  of.set_state(api::CANCELLED);
  of.set_priority(3);
  of.set_reason("no more need");
  of.set_submitted_ns(1'700'000'000'000'000'000);
  of.set_changed_ns(1'700'000'060'500'000'000);
  auto& cpu = *of.add_requests();
  cpu.set_resource("cpu");
  cpu.set_amount(1'500);
  (*job.mutable_annotations())["team"] = "sea";
  job.set_requestor("bob");
  auto& run = *job.add_runs();
  run.set_run_id("r1");
  run.set_cluster("c");
  run.set_node("n");
  run.set_state("RUN_CANCELLED");
  run.set_started_ns(1'700'000'000'000'000'000);
  run.set_finished_ns(1'700'000'042'000'000'000);
  run.set_has_exit_code(true);
  run.set_exit_code(143);
  const auto out = written(*match_lookout("POST", jobs_path).call, found);
  const auto& one = out["jobs"][0];
  EXPECT_EQ(one["jobId"], "01h");
  EXPECT_EQ(one["cpu"], 1'500);
  EXPECT_EQ(one["gpu"], 0);
  EXPECT_EQ(one["state"], "CANCELLED");
  EXPECT_EQ(one["submitted"], "2023-11-14T22:13:20+00:00");
  EXPECT_EQ(one["cancelled"], "2023-11-14T22:14:20.5+00:00");
  EXPECT_EQ(one["cancelReason"], "no more need");
  EXPECT_EQ(one["cancelUser"], "bob");
  EXPECT_EQ(one["annotations"]["team"], "sea");
  EXPECT_EQ(one["runs"][0]["jobRunState"], "RUN_CANCELLED");
  EXPECT_EQ(one["lastActiveRunId"], "r1");
  EXPECT_EQ(one["exitCode"], 143);
  EXPECT_EQ(one["runtimeSeconds"], 42);
  EXPECT_FALSE(one.contains("namespace"));
  EXPECT_FALSE(out.contains("incomplete"));
}

TEST(lookout_groups, have_the_aggregates_asked_for) {
  const auto call = *match_lookout("POST", groups_path).call;
  const auto request = read<v1::GroupJobsRequest>(call, R"({
    "filters": [], "order": {"field": "jobSet", "direction": "ASC"},
    "groupedField": {"field": "jobSet", "lastTransitionTimeAggregate": "latest"},
    "aggregates": ["state", "lastTransitionTime"], "take": 5})");
  EXPECT_EQ(request.group_by(), "jobSet");
  EXPECT_EQ(request.order_by(), "name");
  v1::GroupJobsResponse found;
  auto& group = *found.add_groups();
  group.set_name("s");
  group.set_count(3);
  (*group.mutable_jobs_by_state())["FAILED"] = 3;
  group.set_changed_last_ns(1'700'000'000'000'000'000);
  const auto out = written(call, found);
  EXPECT_EQ(out["groups"][0]["name"], "s");
  EXPECT_EQ(out["groups"][0]["count"], 3);
  EXPECT_EQ(out["groups"][0]["aggregates"]["state"]["FAILED"], 3);
  EXPECT_EQ(out["groups"][0]["aggregates"]["lastTransitionTime"], "2023-11-14T22:13:20+00:00");
  EXPECT_FALSE(out["groups"][0]["aggregates"].contains("submitted"));
  EXPECT_THAT(refusal(groups_path, R"({"filters":[],"order":{"field":"count","direction":"ASC"}})"),
              HasSubstr("groupedField is missing"));
  EXPECT_THAT(refusal(groups_path, R"({"filters":[],"order":{"field":"count","direction":"ASC"},
    "groupedField":{"field":"queue"},"aggregates":["sum"]})"),
              HasSubstr("there is no aggregate"));
}

TEST(lookout_texts, of_jobs_and_runs_are_found_by_their_ids) {
  const auto id = ulid_from_hash(1, 2, 3);
  const auto error = *match_lookout("POST", "/api/v1/jobError").call;
  EXPECT_EQ(read<api::JobErrorsRequest>(error, R"({"jobId":"01H"})").job_ids(0), "01h");
  api::JobErrorsResponse why;
  (*why.mutable_job_errors())["01h"] = "it broke";
  EXPECT_EQ(written(error, why)["errorString"], "it broke");
  EXPECT_EQ(error.answer("").error().code, ec::not_found);

  const auto run = *match_lookout("POST", "/api/v1/jobRunError").call;
  const auto name = run_id({id, 2});
  const auto request = read<v1::FindJobsRequest>(run, R"({"runId":")" + name + "\"}");
  EXPECT_EQ(request.conditions(0).values(1), to_string(id));
  v1::FindJobsResponse found;
  auto& one = *found.add_jobs()->add_runs();
  one.set_run_id(name);
  one.set_error("out of memory");
  EXPECT_EQ(written(run, found)["errorString"], "out of memory");
  EXPECT_EQ(run.answer("").error().code, ec::not_found);
  EXPECT_THAT(refusal("/api/v1/jobRunError", R"({"runId":"x"})"), HasSubstr("is no id of a run"));
  EXPECT_THAT(refusal("/api/v1/jobSpec", "{}"), HasSubstr("jobId is missing"));
}

}  // namespace

}  // namespace argosy::codec
