// SPDX-License-Identifier: Apache-2.0
// Goal: hold and release send exactly what was asked for, and say what became of it. Method: the
// whole command line against a scripted server; the requests it received.
#include <gmock/gmock.h>

#include "tests/support/cli/cli_fixture.hpp"

namespace argosy::ctl {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

class holding : public cli_fixture {
 protected:
  holding() {
    serve_jobs();
    add_job(job_id(1), api::JobState::QUEUED, "a", "s");
    add_job(job_id(2), api::JobState::QUEUED, "a", "t").mutable_hold()->set_by("ann");
    add_job(job_id(3), api::JobState::RUNNING, "a", "s");
    answer(1);
  }
  void answer(std::uint64_t changed, std::uint64_t running = 0,
              const std::vector<std::string>& mates = {}) {
    argosy::v1::HoldJobsResponse held;
    held.set_changed(changed);
    held.set_running(running);
    held.mutable_gang_mates()->Assign(mates.begin(), mates.end());
    server->always("JobControl.HoldJobs", held);
    argosy::v1::ReleaseJobsResponse released;
    released.set_changed(changed);
    *released.mutable_gang_mates() = held.gang_mates();
    server->always("JobControl.ReleaseJobs", released);
  }
  [[nodiscard]] argosy::v1::HoldJobsRequest sent(std::size_t index = 0) const {
    return server->nth<argosy::v1::HoldJobsRequest>("JobControl.HoldJobs", index);
  }
};

namespace {

TEST_F(holding, jobs_by_id_with_a_reason) {
  const auto got = run({"hold", job_id(1), "--reason", "no input"});
  EXPECT_EQ(got.code, exit_code::success) << got.err;
  EXPECT_EQ(got.out, "held 1 job\n");
  EXPECT_EQ(got.err, "");
  EXPECT_EQ(sent().queue(), "a");
  EXPECT_THAT(sent().job_ids(), ElementsAre(job_id(1)));
  EXPECT_EQ(sent().reason(), "no input");
  EXPECT_FALSE(sent().whole_queue());
}

TEST_F(holding, takes_a_blocked_job_for_one_that_nobody_holds) {
  add_job(job_id(4), api::JobState::QUEUED, "a", "s").mutable_hold()->set_blocked(true);
  EXPECT_EQ(run({"hold", job_id(4)}).err, "");
  answer(0);
  EXPECT_THAT(run({"release", job_id(4)}).err, HasSubstr("1 job was not held"));
}

TEST_F(holding, of_a_job_set_without_jobs_says_that_there_is_none) {
  answer(0);
  for (const auto* verb : {"hold", "release"}) {
    const auto none = run({verb, "-q", "a", "--jobset", "nope"});
    EXPECT_EQ(none.code, exit_code::not_found) << verb;
    EXPECT_THAT(none.err, HasSubstr("there is no job of queue 'a' in job set 'nope': nothing was"));
    EXPECT_EQ(none.out, "");
  }
}

TEST_F(holding, of_a_queue_without_jobs_is_no_error_if_there_is_the_queue) {
  answer(0);
  server->always("QueueService.GetQueue", api::Queue{});
  for (const auto* verb : {"hold", "release"}) {
    const auto got = run({verb, "-q", "b"});
    EXPECT_EQ(got.code, exit_code::success) << verb << ": " << got.err;
    EXPECT_THAT(got.err, HasSubstr("no job of queue 'b' was there to " + std::string{verb}));
    EXPECT_EQ(got.out, "");
  }
  server->refuse("QueueService.GetQueue", {ec::not_found, "there is no queue 'b'"});
  EXPECT_EQ(run({"hold", "-q", "b"}).code, exit_code::not_found);
}

TEST_F(holding, says_which_jobs_it_left_alone_or_found_held) {
  answer(1, 1);
  const auto got = run({"hold", job_id(1), job_id(2), job_id(3)});
  EXPECT_THAT(got.err, HasSubstr("2 jobs were left alone, with a run already"))
      << "the server said one for each of the two job sets";
  EXPECT_THAT(got.err, HasSubstr("1 job was already held"));
  EXPECT_EQ(run({"hold", job_id(1), job_id(2), job_id(3), "-o", "name"}).out,
            "job/" + job_id(1) + "\n");
}

TEST_F(holding, names_the_members_of_the_gang_that_were_not_named) {
  answer(3, 0, {job_id(8), job_id(9)});
  const auto got = run({"hold", job_id(1)});
  EXPECT_EQ(got.out, "held 3 jobs\n");
  EXPECT_EQ(got.err,
            "held with it, as members of its gang: " + job_id(8) + ", " + job_id(9) + "\n");
  EXPECT_EQ(run({"hold", job_id(1), "-o", "name"}).out,
            "job/" + job_id(1) + "\njob/" + job_id(8) + "\njob/" + job_id(9) + "\n");
}

TEST_F(holding, a_job_set_and_a_queue_is_one_request_each) {
  EXPECT_EQ(run({"hold", "-q", "a", "--jobset", "s"}).code, exit_code::success);
  EXPECT_EQ(sent().job_set(), "s");
  EXPECT_FALSE(sent().whole_queue());
  EXPECT_THAT(sent().job_ids(), IsEmpty());
  server->requests.clear();
  EXPECT_EQ(run({"hold", "-q", "a"}).out, "held 1 job\n");
  EXPECT_TRUE(sent().whole_queue());
  EXPECT_EQ(server->calls("Query.ListJobs"), 0U) << "a queue may have very many jobs";
  EXPECT_EQ(run({"hold", "-q", "a", "-o", "name"}).out, "job/" + job_id(1) + "\n");
}

TEST_F(holding, nothing_since_all_run_fails) {
  answer(0, 1);
  const auto got = run({"hold", job_id(3)});
  EXPECT_EQ(got.code, exit_code::conflict);
  EXPECT_THAT(got.err, HasSubstr("a hold does not touch jobs that have a run"));
}

TEST_F(holding, is_ended_by_release) {
  EXPECT_EQ(run({"release", job_id(2), "-o", "name"}).out, "job/" + job_id(2) + "\n");
  const auto got = run({"release", job_id(1), job_id(2)});
  EXPECT_EQ(got.err, "1 job was not held\n");
  EXPECT_EQ(run({"release", "-q", "a"}).out, "released 1 job\n");
  const auto last = server->nth<argosy::v1::ReleaseJobsRequest>("JobControl.ReleaseJobs", 3);
  EXPECT_TRUE(last.whole_queue());
  EXPECT_EQ(server->calls("JobControl.HoldJobs"), 0U);
}

TEST_F(holding, a_forgotten_name_never_means_more) {
  for (const auto& line :
       std::vector<std::vector<std::string>>{{"hold"},
                                             {"hold", "-q", ""},
                                             {"hold", "-q", "a", ""},
                                             {"hold", "-q", "a", "--jobset", ""},
                                             {"hold", "job", "-q", "a"},
                                             {"release"},
                                             {"release", "-q", "a", "--jobset="}})
    EXPECT_EQ(run(line).code, exit_code::usage) << line.size() << line.back();
  EXPECT_EQ(run({"hold", job_id(1), "--reason", std::string(51, 'x')}).code, exit_code::usage);
  EXPECT_EQ(server->calls("JobControl.HoldJobs") + server->calls("JobControl.ReleaseJobs"), 0U);
}

TEST_F(holding, help_says_that_later_jobs_are_not_held) {
  EXPECT_THAT(run({"hold", "--help"}).out, HasSubstr("not what is submitted later"));
}

TEST_F(holding, release_of_a_node_is_the_operators_verb) {
  server->always("ClusterService.ReleaseNode", argosy::v1::ReleaseNodeResponse{});
  argosy::v1::ListNodesResponse nodes;
  nodes.add_nodes()->set_name("n1");
  server->always("Query.ListNodes", nodes);
  EXPECT_EQ(run({"release", "node", "n1"}).code, exit_code::success);
  EXPECT_EQ(server->calls("ClusterService.ReleaseNode"), 1U);
}

}  // namespace
}  // namespace argosy::ctl
