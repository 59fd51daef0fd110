// SPDX-License-Identifier: Apache-2.0
// Goal: held jobs wait until they are released, everybody can read why, a restart changes nothing
// of it, and many jobs are held without keeping others waiting. Method: the whole control plane in
// virtual time, with agents that follow a script.
#include <gmock/gmock.h>

#include <algorithm>

#include "messages/proto/api/scheduler_reporting.pb.h"
#include "runtime/access/action.hpp"
#include "runtime/bus/caller_headers.hpp"
#include "tests/support/control_plane/control_plane_fixture.hpp"

namespace argosy::tests {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::UnorderedElementsAre;
using namespace std::chrono_literals;

struct holds : control_plane_test {
  holds() {
    start();
    create_queue("q");
  }

  static v1::HoldJobsRequest of(const std::vector<std::string>& ids) {
    v1::HoldJobsRequest request;
    request.mutable_job_ids()->Assign(ids.begin(), ids.end());
    request.set_reason("no input");
    return request;
  }
  static v1::HoldJobsRequest of_queue(const std::string& queue, const std::string& set = {}) {
    v1::HoldJobsRequest request;
    request.set_queue(queue);
    request.set_job_set(set);
    request.set_whole_queue(set.empty());
    return request;
  }
  v1::HoldJobsResponse hold(const v1::HoldJobsRequest& request) {
    return ask<v1::HoldJobsResponse>("JobControl.HoldJobs", request);
  }
  /// Releases what the request would hold.
  v1::ReleaseJobsResponse release(const v1::HoldJobsRequest& request) {
    v1::ReleaseJobsRequest out;
    *out.mutable_job_ids() = request.job_ids();
    out.set_queue(request.queue());
    out.set_job_set(request.job_set());
    out.set_whole_queue(request.whole_queue());
    return ask<v1::ReleaseJobsResponse>("JobControl.ReleaseJobs", out);
  }
  ec refusal(const v1::HoldJobsRequest& request) {
    const auto got = call("JobControl.HoldJobs", request);
    return got ? ec::none : got.error().code;
  }
  std::string submit_held(const std::string& value) {
    auto request = make_submit("q");
    (*request.mutable_job_request_items(0)->mutable_annotations())["argosy.io/hold"] = value;
    const auto reply = ask<api::JobSubmitResponse>("Submit.SubmitJobs", request);
    return reply.job_response_items_size() == 1 ? reply.job_response_items(0).job_id() : "";
  }
};

namespace {

TEST_F(holds, keep_a_job_waiting_where_there_is_room_until_it_is_released) {
  const auto ids = submit("q", {.count = 2});
  EXPECT_EQ(hold(of({ids[0]})).changed(), 1U);
  add_agent("c", {node_of("n", 8)});
  pass(3s);
  EXPECT_EQ(job(ids[0]).state(), api::QUEUED);
  EXPECT_EQ(job(ids[1]).state(), api::RUNNING);
  EXPECT_EQ(release(of({ids[0]})).changed(), 1U);
  pass(3s);
  EXPECT_EQ(job(ids[0]).state(), api::RUNNING);
  EXPECT_FALSE(job(ids[0]).has_hold());
}

TEST_F(holds, are_told_to_everybody_who_asks_why_a_job_waits) {
  const auto id = submit("q").at(0);
  hold(of({id}));
  add_agent("c", {node_of("n", 8)});
  pass(3s);
  const auto listed = job(id);
  EXPECT_THAT(listed.reason(), HasSubstr("held by anonymous since 2023-11-14 22:"));
  EXPECT_THAT(listed.reason(), HasSubstr(": no input"));
  EXPECT_EQ(listed.reason_code(), "HELD");
  EXPECT_EQ(listed.hold().by(), "anonymous");
  EXPECT_EQ(listed.hold().reason(), "no input");
  EXPECT_EQ(describe(id).summary().reason(), listed.reason());
  EXPECT_THAT(describe(id).reason_lines(), ElementsAre(listed.reason()));
  schedulerobjects::JobReportRequest report;
  report.set_job_id(id);
  EXPECT_THAT(ask<schedulerobjects::JobReport>("SchedulerReporting.GetJobReport", report).report(),
              HasSubstr(listed.reason()));
  const auto queues = ask<v1::ListQueuesResponse>("Query.ListQueues", v1::ListQueuesRequest{});
  EXPECT_EQ(queues.queues(0).held(), 1U);
  EXPECT_EQ(queues.queues(0).queued(), 1U);
}

TEST_F(holds, outlive_a_restart) {
  const auto ids = submit("q", {.count = 2});
  hold(of({ids[0]}));
  const auto before = job(ids[0]).hold().SerializeAsString();
  crash();
  start();
  add_agent("c", {node_of("n", 8)});
  pass(3s);
  EXPECT_EQ(job(ids[0]).state(), api::QUEUED);
  EXPECT_EQ(job(ids[0]).hold().SerializeAsString(), before);
  EXPECT_EQ(job(ids[1]).state(), api::RUNNING);
  release(of({ids[0]}));
  crash();
  start();
  reconnect_agents();
  pass(3s);
  EXPECT_EQ(job(ids[0]).state(), api::RUNNING);
}

TEST_F(holds, keep_the_order_of_the_queue) {
  const auto ids = submit("q", {.count = 3});
  hold(of({ids[0]}));
  release(of({ids[0]}));
  add_agent("c", {node_of("n", 1)});
  pass(3s);
  EXPECT_EQ(job(ids[0]).state(), api::RUNNING);
  EXPECT_EQ(count("q", api::RUNNING), 1);
}

TEST_F(holds, leave_alone_what_runs_and_say_so) {
  add_agent("c", {node_of("n", 1)});
  const auto ids = submit("q", {.count = 3});
  pass(3s);
  ASSERT_EQ(count("q", api::RUNNING), 1);
  const auto held = hold(of_queue("q", "set"));
  EXPECT_EQ(held.changed(), 2U);
  EXPECT_EQ(held.running(), 1U);
  EXPECT_EQ(count("q", api::RUNNING), 1);
  const auto later = submit("q").at(0);
  EXPECT_FALSE(job(later).has_hold()) << "what is submitted later is not held";
  EXPECT_EQ(release(of_queue("q")).changed(), 2U);
}

TEST_F(holds, take_a_gang_as_a_whole_and_name_the_others) {
  const auto ids = submit("q", {.count = 3, .gang = "g", .cardinality = 3});
  pass();
  const auto held = hold(of({ids[1]}));
  EXPECT_EQ(held.changed(), 3U);
  EXPECT_THAT(held.gang_mates(), UnorderedElementsAre(ids[0], ids[2]));
  add_agent("c", {node_of("n", 8)});
  pass(3s);
  EXPECT_EQ(count("q", api::QUEUED), 3);
  const auto released = release(of({ids[2], ids[0]}));
  EXPECT_EQ(released.changed(), 3U);
  EXPECT_THAT(released.gang_mates(), ElementsAre(ids[1]));
  pass(3s);
  EXPECT_EQ(count("q", api::RUNNING), 3);
}

TEST_F(holds, are_found_by_id_in_several_queues) {
  create_queue("r");
  const auto one = submit("q").at(0);
  const auto other = submit("r").at(0);
  EXPECT_EQ(hold(of({one, other})).changed(), 2U);
  EXPECT_TRUE(job(one).has_hold());
  EXPECT_TRUE(job(other).has_hold());
}

TEST_F(holds, begin_with_the_submission_if_the_annotation_says_so) {
  add_agent("c", {node_of("n", 8)});
  const auto id = submit_held("true");
  const auto free = submit_held("false");
  pass(3s);
  EXPECT_EQ(job(id).state(), api::QUEUED);
  EXPECT_THAT(job(id).reason(), HasSubstr("held by anonymous since"));
  EXPECT_EQ(job(free).state(), api::RUNNING);
  auto request = make_submit("q");
  (*request.mutable_job_request_items(0)->mutable_annotations())["argosy.io/hold"] = "maybe";
  EXPECT_FALSE(call("Submit.SubmitJobs", request));
}

TEST_F(holds, say_what_is_wrong_with_a_request) {
  EXPECT_EQ(refusal({}), ec::invalid_argument);
  auto request = of_queue("q");
  request.set_whole_queue(false);
  EXPECT_EQ(refusal(request), ec::invalid_argument) << "an empty set is not the whole queue";
  request = of_queue("q", "set");
  request.set_whole_queue(true);
  EXPECT_EQ(refusal(request), ec::invalid_argument);
  EXPECT_EQ(refusal(of_queue("none")), ec::not_found);
  EXPECT_EQ(refusal(of({to_string(ulid_from_hash(1, 2, 3))})), ec::not_found);
  EXPECT_EQ(refusal(of({"no id"})), ec::invalid_argument);
  request = of_queue("q");
  request.set_reason(std::string(51, 'x'));
  EXPECT_EQ(refusal(request), ec::invalid_argument);
}

TEST_F(holds, of_very_many_jobs_are_written_in_parts) {
  submit("q", {.count = 500});
  for (int i = 0; i < 4; ++i) submit("q", {.count = 500});
  const auto before = log->info()->last_position;
  EXPECT_EQ(hold(of_queue("q")).changed(), 2'500U);
  EXPECT_GE(log->info()->last_position - before, 2U);
  const auto queues = ask<v1::ListQueuesResponse>("Query.ListQueues", v1::ListQueuesRequest{});
  EXPECT_EQ(queues.queues(0).held(), 2'500U);
  EXPECT_EQ(release(of_queue("q")).changed(), 2'500U);
}

TEST(hold_rights, are_those_of_cancelling) {
  EXPECT_EQ(access::action_of("JobControl.HoldJobs"), access::action::cancel);
  EXPECT_EQ(access::action_of("JobControl.ReleaseJobs"), access::action::cancel);
}

struct rights_to_hold : control_plane_test {
  rights_to_hold() {
    start([this](actors::root_config& config) { config.inner_connection = inner.connect(); });
    as = access::make_principal({"root", {}, {}, {}}, {});
    as.permissions = access::permission_set::all();
    api::Queue queue;
    queue.set_name("anns");
    queue.set_priority_factor(1);
    queue.add_user_owners("ann");
    EXPECT_EQ(outcome("Submit.CreateQueue", queue), ec::none);
  }
  ~rights_to_hold() override { transport->close(); }

  ec outcome(const std::string& method, const google::protobuf::MessageLite& request) {
    return outcome_by(*transport, method, request, bus::caller_headers(as));
  }

  bus::memory_broker inner;
  std::shared_ptr<bus::connection> transport = inner.connect();
  access::principal as;  ///< Who calls.
};

TEST_F(rights_to_hold, are_asked_of_the_queue) {
  v1::HoldJobsRequest request;
  request.set_queue("anns");
  request.set_whole_queue(true);
  as = access::make_principal({"ann", {}, {}, {}}, {});
  EXPECT_EQ(outcome("JobControl.HoldJobs", request), ec::none);
  as = access::make_principal({"bob", {}, {}, {}}, {});
  EXPECT_EQ(outcome("JobControl.HoldJobs", request), ec::denied);
}

}  // namespace
}  // namespace argosy::tests
