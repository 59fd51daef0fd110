// SPDX-License-Identifier: Apache-2.0
// Goal: cancel and preempt end what a queue, a cluster or a node has, never more than was said, and
// not without being sure. Method: the whole command line against a scripted server; the requests it
// received.
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <gmock/gmock.h>

#include "google/protobuf/empty.pb.h"
#include "messages/proto/api/executor.pb.h"
#include "messages/proto/api/node.pb.h"
#include "tests/support/cli/cli_fixture.hpp"

namespace argosy::ctl {

using google::protobuf::Empty;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

using words = std::vector<std::string>;

class wide : public cli_fixture {
 protected:
  wide() {
    for (const std::string verb : {"Cancel", "Preempt"}) {
      server->always("QueueService." + verb + "OnQueue", Empty{});
      server->always("Executor." + verb + "OnExecutor", Empty{});
      server->always("Node." + verb + "OnNode", Empty{});
    }
    argosy::v1::ListQueuesResponse queues;
    for (const auto* name : {"a", "b"}) queues.add_queues()->mutable_queue()->set_name(name);
    server->always("Query.ListQueues", queues);
    argosy::v1::ListClustersResponse clusters;
    for (const auto* name : {"east", "west"}) clusters.add_clusters()->set_name(name);
    server->always("Query.ListClusters", clusters);
    argosy::v1::ListNodesResponse nodes;
    auto& node = *nodes.add_nodes();
    node.set_cluster("east");
    node.set_name("n1");
    server->always("Query.ListNodes", nodes);
    serve_jobs();
    add_job(job_id(1), api::JobState::QUEUED, "a", "s").set_priority_class("batch");
    add_run(2, "a", "east", "n1", "batch");
    add_run(3, "b", "east", "n2", "urgent");
    add_run(4, "b", "west", "n1", "batch");
    add_job(job_id(5), api::JobState::SUCCEEDED, "a", "s");
  }
  argosy::v1::JobSummary& add_run(int number, const std::string& queue, const std::string& cluster,
                                  const std::string& node, const std::string& priority_class) {
    auto& job = add_job(job_id(number), api::JobState::RUNNING, queue, "s");
    job.set_cluster(cluster);
    job.set_node(node);
    job.set_pool("default");
    job.set_priority_class(priority_class);
    return job;
  }
  [[nodiscard]] std::size_t changes() const {
    std::size_t count = 0;
    for (const auto* verb : {"Cancel", "Preempt"})
      for (const auto* where : {"QueueService.{}OnQueue", "Executor.{}OnExecutor", "Node.{}OnNode"})
        count += server->calls(fmt::format(fmt::runtime(where), verb));
    return count;
  }
};

namespace {

TEST_F(wide, cancels_all_of_a_queue_in_one_request) {
  const auto got = run({"cancel", "-q", "a", "--yes"});
  EXPECT_EQ(got.code, exit_code::success) << got.err;
  EXPECT_EQ(got.out, "asked to cancel 2 jobs\n");
  const auto sent = server->nth<api::QueueCancelRequest>("QueueService.CancelOnQueue");
  EXPECT_EQ(sent.name(), "a");
  EXPECT_EQ(sent.jobstates_size(), 4) << "no state would mean no job";
  EXPECT_EQ(sent.priorityclasses_size(), 0);
  EXPECT_EQ(changes(), 1U);
}

TEST_F(wide, cancels_what_the_filters_leave_of_a_queue) {
  const auto got = run(
      {"cancel", "--queue", "a", "--state", "queued", "--priority-class", "batch", "-o", "name"});
  EXPECT_EQ(got.out, "job/" + job_id(1) + "\n") << got.err;
  const auto sent = server->nth<api::QueueCancelRequest>("QueueService.CancelOnQueue");
  EXPECT_THAT(sent.jobstates(), ElementsAre(api::JobState::QUEUED));
  EXPECT_THAT(sent.priorityclasses(), ElementsAre("batch"));
}

TEST_F(wide, cancels_what_runs_on_a_cluster_in_all_queues) {
  EXPECT_EQ(run({"cancel", "--cluster", "east", "--yes"}).out, "asked to cancel 2 jobs\n");
  const auto sent = server->nth<api::ExecutorCancelRequest>("Executor.CancelOnExecutor");
  EXPECT_EQ(sent.name(), "east");
  EXPECT_THAT(sent.queues(), ElementsAre("a", "b"));
  EXPECT_EQ(run({"cancel", "--cluster", "east", "-q", "b"}).out, "asked to cancel 1 job\n");
  const auto of_one = server->nth<api::ExecutorCancelRequest>("Executor.CancelOnExecutor", 1);
  EXPECT_THAT(of_one.queues(), ElementsAre("b"));
}

TEST_F(wide, says_where_to_look_when_no_answer_came_in_time) {
  server->on<api::NodeCancelRequest, Empty>("Node.CancelOnNode", [](const auto&) -> result<Empty> {
    return fail(ec::timeout, "no answer within 30 s");
  });
  const auto got = run({"cancel", "--node", "east/n1", "--yes"});
  EXPECT_NE(got.code, exit_code::success);
  EXPECT_THAT(got.err, HasSubstr("the server may go on; 'argosyctl get operations' tells"));
}

TEST_F(wide, tells_the_operation_that_the_server_made_of_it) {
  server->reply_headers["QueueService.CancelOnQueue"] = {{"argosy-operation", job_id(7)}};
  const auto got = run({"cancel", "-q", "a", "--yes"});
  EXPECT_EQ(got.code, exit_code::success);
  EXPECT_THAT(got.err, HasSubstr("operation " + job_id(7) + "; argosyctl describe operation " +
                                 job_id(7) + " shows how far it is\n"));
}

TEST_F(wide, tells_the_operation_also_when_it_is_interrupted_or_gets_no_answer) {
  std::string id;
  server->on<argosy::v1::ListOperationsRequest, argosy::v1::ListOperationsResponse>(
      "Query.ListOperations",
      [&id](const auto& request) -> result<argosy::v1::ListOperationsResponse> {
        id = request.id();
        argosy::v1::ListOperationsResponse out;
        out.add_operations()->set_id(id);
        return out;
      });
  for (const auto code : {ec::cancelled, ec::timeout}) {
    server->on<api::QueueCancelRequest, Empty>("QueueService.CancelOnQueue",
                                               [&](const auto&) -> result<Empty> {
                                                 interrupted = code == ec::cancelled;
                                                 return fail(code, "no answer");
                                               });
    const auto got = run({"cancel", "-q", "a", "--yes"});
    interrupted = false;
    EXPECT_NE(got.code, exit_code::success);
    EXPECT_EQ(got.code == exit_code::interrupted, code == ec::cancelled);
    EXPECT_THAT(got.err, HasSubstr("operation " + id + "; argosyctl describe operation " + id));
    const auto sent = std::ranges::find_if(
        server->requests, [](const auto& one) { return one.method.ends_with("CancelOnQueue"); });
    EXPECT_THAT(sent->header_text(), HasSubstr("argosy-operation: " + id));
    server->requests.clear();
  }
}

TEST_F(wide, cancels_what_runs_on_a_node) {
  EXPECT_EQ(run({"cancel", "--node", "east/n1"}).out, "asked to cancel 1 job\n");
  const auto sent = server->nth<api::NodeCancelRequest>("Node.CancelOnNode");
  EXPECT_EQ(sent.name(), "n1");
  EXPECT_EQ(sent.executor(), "east");
  EXPECT_THAT(sent.queues(), ElementsAre("a", "b"));
  EXPECT_EQ(run({"cancel", "--node", "n1"}).out, "asked to cancel 1 job\n")
      << "its cluster is found";
}

TEST_F(wide, preempts_and_looks_which_runs_were_left_alone) {
  jobs[1].set_stopping("preempt");
  const auto got = run({"preempt", "--cluster", "east", "--yes"});
  EXPECT_EQ(got.code, exit_code::success) << got.err;
  EXPECT_EQ(got.out, "preempted 1 job\n");
  EXPECT_THAT(got.err, HasSubstr("1 job was left alone"));
  const auto sent = server->nth<api::ExecutorPreemptRequest>("Executor.PreemptOnExecutor");
  EXPECT_THAT(sent.queues(), ElementsAre("a", "b"));
}

TEST_F(wide, preempts_runs_of_a_queue_and_of_a_node) {
  jobs[1].set_stopping("preempt");
  EXPECT_EQ(run({"preempt", "-q", "a", "--priority-class", "batch,urgent"}).out,
            "preempted 1 job\n");
  const auto sent = server->nth<api::QueuePreemptRequest>("QueueService.PreemptOnQueue");
  EXPECT_THAT(sent.priorityclasses(), ElementsAre("batch", "urgent"));
  EXPECT_EQ(run({"preempt", "--node", "n1", "--cluster", "east"}).out, "preempted 1 job\n");
  EXPECT_EQ(server->nth<api::NodePreemptRequest>("Node.PreemptOnNode").executor(), "east");
}

TEST_F(wide, counts_in_a_dry_run_and_changes_nothing) {
  EXPECT_EQ(run({"cancel", "-q", "a", "--dry-run"}).out, "would cancel 2 jobs\n");
  EXPECT_EQ(run({"cancel", "--cluster", "west", "--dry-run", "-o", "name"}).out,
            "job/" + job_id(4) + "\n");
  EXPECT_EQ(run({"preempt", "-q", "a", "--dry-run"}).out, "would preempt at most 1 job\n");
  EXPECT_EQ(run({"cancel", job_id(1), "--dry-run"}).out, "would cancel 1 job\n");
  EXPECT_EQ(run({"cancel", "-q", "a", "--jobset", "s", "--dry-run"}).out, "would cancel 2 jobs\n");
  EXPECT_EQ(changes(), 0U);
  EXPECT_EQ(server->calls("Submit.CancelJobs"), 0U);
  EXPECT_EQ(server->calls("Submit.CancelJobSet"), 0U);
}

TEST_F(wide, asks_on_a_terminal_before_it_ends_several_jobs) {
  where.in_is_terminal = true;
  const auto no = run({"cancel", "--cluster", "east"}, "n\n");
  EXPECT_EQ(no.code, exit_code::interrupted);
  EXPECT_EQ(no.err, "This will cancel 2 jobs of 2 queues. Go on? [y/N]\nnothing was changed\n");
  EXPECT_EQ(run({"cancel", "-q", "a"}, "").code, exit_code::interrupted);
  EXPECT_EQ(changes(), 0U);
  EXPECT_EQ(run({"cancel", "-q", "a"}, "y\n").out, "asked to cancel 2 jobs\n");
  EXPECT_THAT(run({"cancel", "--node", "n1"}).err, IsEmpty()) << "one job is not asked about";
}

TEST_F(wide, wants_to_be_told_yes_where_it_cannot_ask) {
  const auto got = run({"cancel", "-q", "a"});
  EXPECT_EQ(got.code, exit_code::usage);
  EXPECT_THAT(got.err, HasSubstr("this would cancel 2 jobs; say --yes"));
  EXPECT_EQ(changes(), 0U);
}

TEST_F(wide, understands_armadactl) {
  for (const auto& line : std::vector<words>{
           {"cancel", "executor", "east"},
           {"cancel", "executor", "east", "--queues", "a,b", "--all-priority-classes"},
           {"cancel", "executor", "east", "-q", "a,b", "-a"},
           {"cancel", "queue", "a"},
           {"cancel", "queues", "a", "--job-states", "queued,running", "-p", "batch"}})
    EXPECT_EQ(run(line).out, "asked to cancel 2 jobs\n") << fmt::format("{}", fmt::join(line, " "));
  EXPECT_THAT(server->nth<api::ExecutorCancelRequest>("Executor.CancelOnExecutor", 2).queues(),
              ElementsAre("a", "b"));
  EXPECT_EQ(run({"cancel", "node", "n1", "--executor", "east"}).out, "asked to cancel 1 job\n");
  jobs[1].set_stopping("preempt");
  EXPECT_EQ(run({"preempt", "node", "n1", "-e", "east", "-q", "a"}).out, "preempted 1 job\n");
  EXPECT_EQ(run({"preempt", "queue", "a"}).out, "preempted 1 job\n");
  EXPECT_EQ(run({"preempt", "executor", "east"}).out, "preempted 1 job\n");
}

TEST_F(wide, cancels_in_several_queues_and_says_if_a_later_one_refuses) {
  int calls = 0;
  server->on<api::QueueCancelRequest, Empty>("QueueService.CancelOnQueue",
                                             [&](const auto&) -> result<Empty> {
                                               if (++calls == 2) return fail(ec::denied, "no");
                                               return Empty{};
                                             });
  const auto got = run({"cancel", "queues", "a", "b"});
  EXPECT_EQ(got.code, exit_code::partial);
  EXPECT_THAT(got.err, HasSubstr("queue 'b': no"));
}

TEST_F(wide, says_what_is_unknown) {
  EXPECT_EQ(run({"cancel", "-q", "none"}).code, exit_code::not_found);
  const auto cluster = run({"cancel", "--cluster", "eest"});
  EXPECT_EQ(cluster.code, exit_code::not_found);
  EXPECT_THAT(cluster.err, HasSubstr("east"));
  EXPECT_EQ(run({"preempt", "--node", "n9"}).code, exit_code::not_found);
  argosy::v1::ListPoolsResponse pools;
  pools.add_pools()->set_name("gpu");
  server->always("Query.ListPools", pools);
  for (const auto* verb : {"cancel", "preempt"}) {
    const auto pool = run({verb, "--cluster", "east", "--pool", "gpo", "--yes", "--dry-run"});
    EXPECT_EQ(pool.code, exit_code::not_found);
    EXPECT_THAT(pool.err, HasSubstr("gpu"));
    const auto pools = run({verb, "--cluster", "east", "--pool", "default,gpo", "--dry-run"});
    EXPECT_EQ(pools.code, exit_code::not_found) << "though jobs run in the other one";
  }
  EXPECT_EQ(changes(), 0U);
}

TEST_F(wide, a_dry_run_asks_for_a_class_of_which_there_is_no_job) {
  server->refuse("Query.FindJobs", {ec::not_found, "there is no priority class 'x'"});
  for (const auto* verb : {"cancel", "preempt"}) {
    const auto got = run({verb, "-q", "a", "--priority-class", "batch,x", "--dry-run"});
    EXPECT_EQ(got.code, exit_code::not_found) << got.out;
    EXPECT_THAT(got.err, HasSubstr("there is no priority class 'x'"));
  }
  const auto asked = server->nth<argosy::v1::FindJobsRequest>("Query.FindJobs");
  EXPECT_THAT(asked.conditions(0).values(), ElementsAre("x"));
  EXPECT_EQ(run({"cancel", "-q", "a", "--priority-class", "batch", "--dry-run"}).code,
            exit_code::success)
      << "there are jobs of it";
  server->always("Query.FindJobs", argosy::v1::FindJobsResponse{});
  EXPECT_EQ(run({"cancel", "-q", "a", "--priority-class", "none", "--dry-run"}).code,
            exit_code::success);
  EXPECT_EQ(changes(), 0U);
}

TEST_F(wide, fails_with_what_the_server_says_of_a_class_of_which_there_is_no_job) {
  server->refuse("QueueService.CancelOnQueue", {ec::not_found, "there is no priority class 'x'"});
  const auto got = run({"cancel", "-q", "a", "--priority-class", "x", "-y"});
  EXPECT_EQ(got.code, exit_code::not_found);
  EXPECT_THAT(got.err, HasSubstr("there is no priority class 'x'"));
}

TEST_F(wide, a_forgotten_name_never_means_more) {
  for (const auto& line : std::vector<words>{{"cancel", "-q", "a", "--jobset", ""},
                                             {"cancel", "-q", "a", "--jobset="},
                                             {"cancel", "job", "-q", "a"},
                                             {"cancel", "-q", "a", ""},
                                             {"cancel", "-q", ""},
                                             {"cancel", "queue"},
                                             {"cancel", "queues", "a", ""},
                                             {"cancel", "executor"},
                                             {"cancel", "executor", ""},
                                             {"cancel", "node"},
                                             {"cancel", "--cluster", "", "--yes"},
                                             {"cancel", "--yes"},
                                             {"cancel", "--state", "queued", "--yes"},
                                             {"preempt", "-q", "a", "--jobset", ""}})
    EXPECT_EQ(run(line).code, exit_code::usage) << fmt::format("{}", fmt::join(line, " "));
  EXPECT_EQ(changes(), 0U);
}

TEST_F(wide, refuses_what_contradicts_itself) {
  for (const auto& line :
       std::vector<words>{{"cancel", "--cluster", "east", job_id(1)},
                          {"cancel", "--cluster", "east", "-q", "a", "--jobset", "s"},
                          {"cancel", "--cluster", "east", "--state", "queued"},
                          {"cancel", "-q", "a", "--state", "succeeded"},
                          {"cancel", "-q", "a", "--state", "nonsense"},
                          {"cancel", "-q", "a", "--jobset", "s", "--state", "queued"},
                          {"cancel", job_id(1), "--priority-class", "batch"},
                          {"cancel", "--node", "east/n1", "--cluster", "west"},
                          {"cancel", "--node", "n1", "--pool", "default"},
                          {"cancel", "-q", "a", "--reason", "why"}})
    EXPECT_EQ(run(line).code, exit_code::usage) << fmt::format("{}", fmt::join(line, " "));
  EXPECT_EQ(changes(), 0U);
}

}  // namespace
}  // namespace argosy::ctl
