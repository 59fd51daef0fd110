// SPDX-License-Identifier: Apache-2.0
// Goal: Armada's reports tell what the last rounds did with pools, queues and jobs, and refuse what
// they cannot tell. Method: a control plane in virtual time with scripted agents.
#include <gmock/gmock.h>

#include "messages/proto/api/scheduler_reporting.pb.h"
#include "messages/proto/argosy/explain.pb.h"
#include "tests/support/control_plane/control_plane_fixture.hpp"

namespace argosy::tests {

namespace wire = schedulerobjects;
using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::Not;
using ::testing::StartsWith;
using namespace std::chrono_literals;

struct reports : control_plane_test {
  reports() {
    start();
    create_queue("a");
    create_queue("b");
    add_agent("c", {node_of("n", 4)});
  }

  std::string of_job(const std::string& id) {
    wire::JobReportRequest request;
    request.set_job_id(id);
    return ask<wire::JobReport>("SchedulerReporting.GetJobReport", request).report();
  }
  std::string of_queue(const std::string& name, int verbosity = 0) {
    wire::QueueReportRequest request;
    request.set_queue_name(name);
    request.set_verbosity(verbosity);
    return ask<wire::QueueReport>("SchedulerReporting.GetQueueReport", request).report();
  }
  std::string of_rounds(const wire::SchedulingReportRequest& request) {
    return ask<wire::SchedulingReport>("SchedulerReporting.GetSchedulingReport", request).report();
  }
  ec refusal(const std::string& method, const google::protobuf::MessageLite& request) {
    const auto reply = call("SchedulerReporting." + method, request);
    return reply ? ec::none : reply.error().code;
  }
};

namespace {

TEST_F(reports, of_jobs_say_what_they_wait_for_or_where_they_run) {
  const auto runs = submit("a", {.cpu = "3"}).at(0);
  pass(3s);
  const auto first = submit("a", {.cpu = "2"}).at(0);
  const auto second = submit("a", {.cpu = "2"}).at(0);
  EXPECT_THAT(of_job(second), HasSubstr("no round has looked at it yet"));
  pass(3s);
  EXPECT_THAT(of_job(runs),
              AllOf(HasSubstr("of queue a is RUNNING"), HasSubstr("chose node n of cluster c")));
  EXPECT_THAT(of_job(first), HasSubstr("it is the first of its queue"));
  EXPECT_THAT(of_job(second),
              AllOf(HasSubstr("no node has room for it now"),
                    HasSubstr("it has place 2 in its queue; before it: " + first),
                    HasSubstr("1 node has too little cpu free: 1 core at most, and it needs 2"),
                    HasSubstr("it could help to ask for 1 core at most (1 node)")));
}

TEST_F(reports, of_queues_say_their_shares_and_what_stopped_them) {
  submit("a", {.count = 3, .cpu = "2"});
  pass(3s);
  EXPECT_THAT(of_queue("a"),
              AllOf(StartsWith("queue a: priority factor 1, weight 1; jobs: 1 QUEUED, 2 RUNNING"),
                    HasSubstr("uses 100.0% of pool default"),
                    HasSubstr("not started in pool default:"), HasSubstr("1 job: ")));
  EXPECT_THAT(of_queue("a", 1), HasSubstr("has 4 cores"));
  EXPECT_THAT(of_queue("b"), AllOf(HasSubstr("no live jobs"), Not(HasSubstr("uses"))));
}

TEST_F(reports, of_rounds_take_a_filter_and_a_verbosity) {
  const auto jobs = submit("a", {.count = 3, .cpu = "2"});
  pass(3s);
  wire::SchedulingReportRequest request;
  EXPECT_THAT(of_rounds(request),
              AllOf(StartsWith("pool default: round "), HasSubstr("in use: 4 cores of 4 cores"),
                    HasSubstr("1 job got no place"), Not(HasSubstr("queue a:"))));
  request.set_verbosity(1);
  EXPECT_THAT(of_rounds(request), HasSubstr("queue a: uses 100.0%"));
  request.set_verbosity(-3);
  EXPECT_THAT(of_rounds(request), Not(HasSubstr("queue a:")));
  request.mutable_most_recent_for_queue()->set_queue_name("b");
  EXPECT_THAT(of_rounds(request),
              AllOf(HasSubstr("queue b: has nothing here"), Not(HasSubstr("queue a:"))));
  request.mutable_most_recent_for_job()->set_job_id(jobs.at(2));
  EXPECT_THAT(of_rounds(request), AllOf(StartsWith("job " + jobs.at(2) + " of queue a is QUEUED"),
                                        HasSubstr("pool default: round ")));
}

TEST_F(reports, refuse_what_is_no_id_and_what_is_not_there) {
  wire::JobReportRequest job;
  job.set_job_id("not-an-id");
  EXPECT_EQ(refusal("GetJobReport", job), ec::invalid_argument);
  job.set_job_id("");
  EXPECT_EQ(refusal("GetJobReport", job), ec::invalid_argument);
  job.set_job_id("01jb3000000000000000000000");
  EXPECT_EQ(refusal("GetJobReport", job), ec::not_found);
  wire::QueueReportRequest queue;
  queue.set_queue_name("nowhere");
  EXPECT_EQ(refusal("GetQueueReport", queue), ec::not_found);
  wire::SchedulingReportRequest rounds;
  rounds.mutable_most_recent_for_queue()->set_queue_name("nowhere");
  EXPECT_EQ(refusal("GetSchedulingReport", rounds), ec::not_found);
  rounds.mutable_most_recent_for_job()->set_job_id("not-an-id");
  EXPECT_EQ(refusal("GetSchedulingReport", rounds), ec::invalid_argument);
}

TEST_F(reports, of_a_preempted_job_say_by_whom) {
  const auto id = submit("a", {.cpu = "3", .priority_class = "armada-preemptible"}).at(0);
  pass(3s);
  submit("b", {.cpu = "4", .priority_class = "armada-default"});
  pass(5s);
  EXPECT_THAT(of_job(id), AllOf(HasSubstr("is PREEMPTED"), HasSubstr("took its place"),
                                HasSubstr("its last run was on node n of cluster c")));
}

TEST_F(reports, of_past_rounds_have_their_figures_and_the_shares_of_queues) {
  submit("a", {.cpu = "3"});
  submit("b", {.cpu = "2"});
  pass(30s);
  const auto past = ask<v1::ListRoundsResponse>("Explain.ListRounds", v1::ListRoundsRequest{});
  ASSERT_EQ(past.pools_size(), 1);
  const auto& pool = past.pools(0);
  EXPECT_EQ(pool.pool(), "default");
  ASSERT_GT(pool.spans_size(), 0);
  ASSERT_EQ(pool.queues_size(), 2);
  EXPECT_EQ(pool.queues(0), "a") << "the one that has most";
  std::uint64_t started = 0;
  for (const auto& span : pool.spans()) started += span.started();
  EXPECT_EQ(started, 1U);
  const auto& last = pool.spans(pool.spans_size() - 1);
  ASSERT_EQ(last.shares_size(), 2);
  EXPECT_EQ(last.shares(0).actual_share(), 0.75);
  ASSERT_GT(last.kept_size(), 0);
  EXPECT_EQ(last.kept(0).code(), "JOB_DOES_NOT_FIT");
}

}  // namespace
}  // namespace argosy::tests
