// SPDX-License-Identifier: Apache-2.0
// Goal: whoever asks reads why a job waits, for every pool and without names of the code, and which
// share a queue has where. Method: a control plane in virtual time with scripted agents.
#include <gmock/gmock.h>

#include "tests/support/control_plane/control_plane_fixture.hpp"

namespace argosy::tests {

using model::run_phase;
using ::testing::AllOf;
using ::testing::Contains;
using ::testing::Each;
using ::testing::HasSubstr;
using ::testing::Not;
using ::testing::StartsWith;
using namespace std::chrono_literals;

struct reasons : control_plane_test {
  reasons() {
    start();
    create_queue("a");
  }

  std::vector<std::string> lines(const std::string& id) {
    const auto told = describe(id);
    return {told.reason_lines().begin(), told.reason_lines().end()};
  }
  std::string short_reason(const std::string& id) { return job(id).reason(); }
  v1::QueueSummary queue() {
    const auto page = ask<v1::ListQueuesResponse>("Query.ListQueues", v1::ListQueuesRequest{});
    return page.queues_size() == 1 ? page.queues(0) : v1::QueueSummary{};
  }
  /// Submits a gang of half cores whose members share a value of the label.
  std::vector<std::string> submit_gang(int members, const std::string& label) {
    auto request =
        make_submit("a", {.count = members, .cpu = "500m", .gang = "g", .cardinality = members});
    for (auto& item : *request.mutable_job_request_items())
      (*item.mutable_annotations())["armadaproject.io/gangNodeUniformityLabel"] = label;
    const auto reply = ask<api::JobSubmitResponse>("Submit.SubmitJobs", request);
    std::vector<std::string> ids;
    for (const auto& item : reply.job_response_items()) ids.push_back(item.job_id());
    return ids;
  }
};

namespace {

/// A part of every name like JOB_DOES_NOT_FIT, which no text may contain.
constexpr const char* code_name = "_";

TEST_F(reasons, have_a_line_for_every_pool) {
  add_agent("c", {node_of("n", 4)});
  add_agent("d", {node_of("m", 2)}, "zzz");
  const auto id = submit("a", {.cpu = "8"}).at(0);
  pass(3s);
  EXPECT_THAT(lines(id),
              AllOf(Contains(StartsWith("pool default")), Contains(StartsWith("pool zzz"))));
}

TEST_F(reasons, put_the_most_promising_pool_first) {
  add_agent("c", {node_of("n", 2)});
  add_agent("d", {node_of("m", 8)}, "zzz");
  submit("a", {.count = 2, .cpu = "5"});
  pass();
  const auto id = submit("a", {.cpu = "6"}).at(0);
  pass(3s);
  const auto told = lines(id);
  ASSERT_EQ(told.size(), 3U);
  EXPECT_THAT(told[0], HasSubstr("no node has room for it now"));
  EXPECT_THAT(told[1], AllOf(StartsWith("pool zzz"), HasSubstr("3 cores at most, and it needs 6")));
  EXPECT_THAT(told[2], AllOf(StartsWith("pool default"), HasSubstr("it can never run here")));
}

TEST_F(reasons, tell_never_from_not_now) {
  add_agent("c", {node_of("n", 4)});
  submit("a", {.cpu = "3"});
  pass();
  const auto never = submit("a", {.cpu = "8"}).at(0);
  const auto later = submit("a", {.cpu = "2"}).at(0);
  pass(3s);
  for (const auto& told : {describe(never).summary().reason(), short_reason(never)})
    EXPECT_THAT(told, HasSubstr("it can never run as it is")) << told;
  EXPECT_THAT(describe(never).summary().reason(),
              HasSubstr("it needs 8 cores, and no node that it may use has more than 4 cores;"));
  for (const auto& told : {describe(later).summary().reason(), short_reason(later)})
    EXPECT_THAT(told, HasSubstr("no node has room for it now")) << told;
}

TEST_F(reasons, name_no_codes) {
  add_agent("c", {node_of("n", 4)});
  // The second is skipped because the first, its equal, did not fit.
  for (const auto& id : submit("a", {.count = 2, .cpu = "8"})) {
    pass(3s);
    EXPECT_THAT(short_reason(id), Not(HasSubstr(code_name)));
    EXPECT_THAT(lines(id), Each(Not(HasSubstr(code_name))));
  }
}

TEST_F(reasons, forget_a_pool_without_nodes) {
  add_agent("c", {node_of("n", 4)});
  auto& agent = add_agent("d", {node_of("m", 2)}, "aaa");
  const auto id = submit("a", {.cpu = "8"}).at(0);
  pass(3s);
  agent.goodbye();
  pass(3s);
  EXPECT_THAT(lines(id), AllOf(Contains(HasSubstr("pool default")), Each(Not(HasSubstr("aaa")))));
}

TEST_F(reasons, of_a_gang_say_how_many_members_fit) {
  add_agent("c", {node_of("n", 2)});
  const auto ids = submit("a", {.count = 3, .gang = "g", .cardinality = 3});
  submit("a", {.cpu = "8"});
  pass(3s);
  EXPECT_THAT(describe(ids[0]).summary().reason(), HasSubstr("at most 2 of the 3 members"));
  add_agent("d", {node_of("m", 1)}, "zzz");
  pass(3s);
  EXPECT_THAT(describe(ids[0]).summary().reason(), HasSubstr("at most 2 of the 3 members"));
}

TEST_F(reasons, of_an_incomplete_gang_say_how_many_members_there_are) {
  add_agent("c", {node_of("n", 2)});
  const auto id = submit("a", {.count = 2, .gang = "g", .cardinality = 3}).at(0);
  pass(3s);
  EXPECT_THAT(describe(id).summary().reason(), HasSubstr("2 of the 3 members of its gang"));
  EXPECT_THAT(short_reason(id), HasSubstr("gang"));
}

TEST_F(reasons, name_the_label_that_no_node_has) {
  auto node = node_of("n", 2);
  node.labels = {{"rack", "r1"}};
  add_agent("c", {node});
  const auto waiting = submit_gang(2, "row").at(0);
  pass(3s);
  EXPECT_THAT(describe(waiting).summary().reason(), HasSubstr("no node has the label 'row'"));
}

TEST_F(reasons, do_not_come_from_a_label_that_is_not_indexed) {
  auto node = node_of("n", 2);
  node.labels = {{"rack", "r1"}};
  add_agent("c", {node});
  submit_gang(2, "rack");
  pass(3s);
  EXPECT_EQ(count("a", api::RUNNING), 2);
}

TEST_F(reasons, of_a_cordoned_queue_say_what_to_do) {
  add_agent("c", {node_of("n", 2)});
  api::QueueCordonRequest cordon;
  cordon.set_name("a");
  ASSERT_TRUE(call("QueueService.CordonQueue", cordon));
  const auto id = submit("a").at(0);
  pass(3s);
  EXPECT_THAT(describe(id).summary().reason(), HasSubstr("argosyctl queue update a --uncordon"));
}

struct queue_shares : reasons {};

TEST_F(queue_shares, are_of_the_pool_where_the_queue_has_most) {
  add_agent("c", {node_of("n", 2)});
  const auto ids = submit("a", {.cpu = "1500m"});
  pass();
  EXPECT_DOUBLE_EQ(queue().actual_share(), 0.75);
  add_agent("d", {node_of("m", 64)}, "zzz");
  submit("a", {.cpu = "1500m"});
  pass(3s);
  EXPECT_EQ(count("a", api::RUNNING), 2);
  EXPECT_DOUBLE_EQ(queue().actual_share(), 0.75);
}

TEST_F(queue_shares, are_nothing_when_nothing_runs) {
  auto& agent = add_agent("c", {node_of("n", 2)});
  const auto ids = submit("a");
  pass();
  EXPECT_DOUBLE_EQ(queue().actual_share(), 0.5);
  agent.end(ids[0], run_phase::succeeded);
  pass(3s);
  EXPECT_DOUBLE_EQ(queue().actual_share(), 0);
}

}  // namespace
}  // namespace argosy::tests
