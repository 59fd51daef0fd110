// SPDX-License-Identifier: Apache-2.0
// Goal: a job or gang that no node of any known cluster could take is told so, blocked, and then
// rejected, held or left waiting as the settings and the job say, also over a restart; nodes that
// come, and silent ones, save it. Method: a control plane in virtual time with scripted agents.
#include <gmock/gmock.h>

#include "runtime/bus/api_headers.hpp"
#include "tests/support/control_plane/control_plane_fixture.hpp"

namespace argosy::tests {

using ::testing::HasSubstr;
using ::testing::IsEmpty;
using namespace std::chrono_literals;

struct unfit : control_plane_test {
  void begin(ledger::unfit_way way = ledger::unfit_way::reject) {
    rules.queue_rules.unfit = {way, 1min};
    start();
  }
  api::JobState state(const std::string& id) { return job(id).state(); }
  bool is_blocked(const std::string& id) { return job(id).hold().blocked(); }
};

TEST_F(unfit, jobs_are_rejected_with_the_sentence_and_the_counts) {
  begin();
  create_queue("a");
  add_agent("c", {node_of("n", 8), node_of("m", 4)});
  const auto large = submit("a", {.cpu = "64"}).front();
  const auto small = submit("a").front();
  pass(5s);
  EXPECT_EQ(state(large), api::QUEUED);
  EXPECT_TRUE(is_blocked(large));
  EXPECT_THAT(job(large).reason(), HasSubstr("it can never run as it is: it needs 64 cores"));
  EXPECT_EQ(state(small), api::RUNNING);
  pass(50s);
  EXPECT_EQ(state(large), api::QUEUED) << "a node may come for a minute";
  pass(15s);
  EXPECT_EQ(state(large), api::REJECTED);
  EXPECT_THAT(job(large).reason(), HasSubstr("2 nodes"));
}

TEST_F(unfit, jobs_wait_while_no_cluster_was_heard_and_run_on_nodes_that_come) {
  begin();
  create_queue("a");
  const auto early = submit("a", {.cpu = "64"}).front();
  pass(10min);
  EXPECT_FALSE(is_blocked(early)) << "while no node is known nobody is judged";
  add_agent("c", {node_of("n", 8)});
  pass(30s);
  EXPECT_TRUE(is_blocked(early));
  add_agent("d", {node_of("n", 64)});
  pass(5s);
  EXPECT_EQ(state(early), api::RUNNING);
}

TEST_F(unfit, jobs_are_saved_by_silent_nodes) {
  begin();
  create_queue("a");
  auto& agent = add_agent("c", {node_of("n", 64)});
  add_agent("d", {node_of("n", 8)});
  pass(1s);
  agent->silent = true;
  pass(5min);
  const auto large = submit("a", {.cpu = "64"}).front();
  pass(5min);
  EXPECT_EQ(state(large), api::QUEUED);
  EXPECT_FALSE(is_blocked(large));
  crash();
  begin();
  pass(5min);
  EXPECT_EQ(state(large), api::QUEUED) << "the server knows the nodes from before";
  EXPECT_FALSE(is_blocked(large));
}

TEST_F(unfit, jobs_are_held_or_wait_if_that_is_asked) {
  begin(ledger::unfit_way::hold);
  create_queue("a");
  add_agent("c", {node_of("n", 8)});
  const auto large = submit("a", {.cpu = "64"}).front();
  pass(10min);
  EXPECT_TRUE(is_blocked(large));
  crash();
  begin(ledger::unfit_way::wait);
  pass(1min);
  EXPECT_FALSE(is_blocked(large));
  EXPECT_EQ(state(large), api::QUEUED);
}

TEST_F(unfit, jobs_with_the_annotation_are_held) {
  begin();
  create_queue("a");
  add_agent("c", {node_of("n", 8)});
  auto request = make_submit("a", {.cpu = "64"});
  (*request.mutable_job_request_items(0)->mutable_annotations())["argosy.io/onNeverFits"] = "hold";
  const auto id =
      ask<api::JobSubmitResponse>("Submit.SubmitJobs", request).job_response_items(0).job_id();
  pass(10min);
  EXPECT_TRUE(is_blocked(id));
}

TEST_F(unfit, jobs_end_at_the_time_of_the_log_also_over_a_restart) {
  begin();
  create_queue("a");
  add_agent("c", {node_of("n", 8)});
  const auto large = submit("a", {.cpu = "64"}).front();
  pass(40s);
  crash();
  database = std::make_shared<store::memory_database>();
  begin();
  EXPECT_TRUE(is_blocked(large));
  pass(30s);
  EXPECT_EQ(state(large), api::REJECTED) << "it was blocked for a minute altogether";
}

TEST_F(unfit, gangs_that_fit_only_one_by_one_are_rejected_as_a_whole) {
  begin();
  create_queue("a");
  add_agent("c", {node_of("n", 8)});
  const auto gang = submit("a", {.count = 3, .cpu = "4", .gang = "g", .cardinality = 3});
  pass(10s);
  for (const auto& id : gang) EXPECT_TRUE(is_blocked(id));
  pass(70s);
  for (const auto& id : gang) EXPECT_EQ(state(id), api::REJECTED);
}

TEST_F(unfit, jobs_are_told_so_when_they_are_submitted_or_checked) {
  begin();
  create_queue("a");
  add_agent("c", {node_of("n", 8)});
  pass(1s);
  const auto note = [&](const job_wish& wish, const std::string& mode) {
    bus::headers with;
    if (!mode.empty()) with.set("argosy-mode", mode);
    const auto got = exchange("Submit.SubmitJobs", make_submit("a", wish), with);
    EXPECT_TRUE(got);
    return got ? bus::get_text(got->headers, "argosy-note").value_or("") : std::string{};
  };
  for (const auto* mode : {"", "check"}) {
    EXPECT_THAT(note({.cpu = "64"}, mode), HasSubstr("it needs 64 cores"));
    EXPECT_THAT(note({.cpu = "64"}, mode), HasSubstr("rejected"));
    EXPECT_THAT(note({.count = 3, .cpu = "4", .gang = "g", .cardinality = 3}, "check"),
                HasSubstr("at most 2 of the 3 members"));
    EXPECT_THAT(note({}, mode), IsEmpty());
  }
}

}  // namespace argosy::tests
