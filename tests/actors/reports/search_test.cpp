// SPDX-License-Identifier: Apache-2.0
// Goal: jobs are found and grouped through the API by what they are, live and ended ones, also
// after a restart, and a search that takes too long says so. Method: a control plane in virtual
// time with a scripted agent.
#include <gmock/gmock.h>

#include "messages/proto/argosy/search.pb.h"
#include "tests/support/control_plane/control_plane_fixture.hpp"

namespace argosy::tests {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using namespace std::chrono_literals;

struct searches : control_plane_test {
  /// Submits a job with an annotation and a label.
  std::string submit_of(const std::string& queue, const std::string& team) {
    auto request = make_submit(queue, {});
    auto& item = *request.mutable_job_request_items(0);
    (*item.mutable_annotations())["team"] = team;
    (*item.mutable_labels())["app"] = "sim";
    const auto reply = ask<api::JobSubmitResponse>("Submit.SubmitJobs", request);
    return reply.job_response_items(0).job_id();
  }

  v1::FindJobsResponse find(const std::string& where) {
    v1::FindJobsRequest request;
    request.set_where(where);
    request.set_ascending(true);
    return ask<v1::FindJobsResponse>("Query.FindJobs", request);
  }

  std::vector<std::string> ids(const std::string& where) {
    std::vector<std::string> out;
    const auto found = find(where);
    for (const auto& job : found.jobs()) out.push_back(job.summary().job_id());
    return out;
  }
};

namespace {

TEST_F(searches, find_live_and_ended_jobs_also_after_a_restart) {
  start();
  create_queue("a");
  create_queue("b");
  auto& agent = add_agent("c", {node_of("n", 1)});
  const auto first = submit_of("a", "sea");
  pass(3s);
  const auto waits = submit_of("a", "sky");
  const auto other = submit_of("b", "sea");
  agent.end(first, model::run_phase::failed, {7, 0, "Error", "it broke"});
  pass(3s);
  for (int round = 0; round < 2; ++round) {
    EXPECT_THAT(ids("queue:a"), ElementsAre(first, waits));
    EXPECT_THAT(ids("@team:sea"), ElementsAre(first, other));
    EXPECT_THAT(ids("@team:sea queue:a state:failed"), ElementsAre(first));
    EXPECT_THAT(ids("exit:7"), ElementsAre(first));
    EXPECT_THAT(ids("reason:*broke*"), ElementsAre(first));
    EXPECT_THAT(ids("state:ended -queue:a"), IsEmpty());
    EXPECT_THAT(ids("label.app:sim age<1h -@team:sea"), ElementsAre(waits));
    if (round == 0) {
      stop();
      start();
    }
  }
  const auto found = find("id:" + first).jobs(0);
  EXPECT_EQ(found.annotations().at("team"), "sea");
  EXPECT_EQ(found.labels().at("app"), "sim");
  ASSERT_EQ(found.runs_size(), 1);
  EXPECT_EQ(found.runs(0).state(), "RUN_FAILED");
  EXPECT_EQ(found.runs(0).exit_code(), 7);
  EXPECT_EQ(found.runs(0).error(), "it broke");
}

TEST_F(searches, say_why_jobs_wait) {
  start();
  create_queue("a");
  add_agent("c", {node_of("n", 1)});
  submit("a", {.cpu = "1"});
  submit("a", {.cpu = "1"});
  pass(3s);
  const auto waiting = find("state:queued");
  ASSERT_EQ(waiting.jobs_size(), 1);
  EXPECT_THAT(waiting.jobs(0).summary().reason(), HasSubstr("no node has room"));
}

TEST_F(searches, group_jobs_by_a_field) {
  start();
  create_queue("a");
  create_queue("b");
  submit_of("a", "sea");
  submit_of("b", "sea");
  submit_of("b", "sky");
  submit("b");
  v1::GroupJobsRequest request;
  request.set_group_by("annotation");
  request.set_key("team");
  const auto teams = ask<v1::GroupJobsResponse>("Query.GroupJobs", request);
  ASSERT_EQ(teams.groups_size(), 2);
  EXPECT_EQ(teams.groups(0).name(), "sea");
  EXPECT_EQ(teams.groups(0).count(), 2u);
  EXPECT_EQ(teams.groups(0).jobs_by_state().at("QUEUED"), 2u);
  request.set_group_by("queue");
  request.clear_key();
  request.set_order_by("name");
  request.set_ascending(true);
  const auto queues = ask<v1::GroupJobsResponse>("Query.GroupJobs", request);
  ASSERT_EQ(queues.groups_size(), 2);
  EXPECT_EQ(queues.groups(1).count(), 3u);
}

TEST_F(searches, refuse_what_they_do_not_understand) {
  start();
  v1::FindJobsRequest request;
  request.set_where("quene:a");
  const auto refused = call("Query.FindJobs", request);
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().code, ec::invalid_argument);
  EXPECT_THAT(refused.error().detail, HasSubstr("did you mean 'queue'"));
  EXPECT_EQ(call("Query.GroupJobs", v1::GroupJobsRequest{}).error().code, ec::invalid_argument);
}

}  // namespace

}  // namespace argosy::tests
