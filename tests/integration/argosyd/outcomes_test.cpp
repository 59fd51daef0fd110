// SPDX-License-Identifier: Apache-2.0
// Goal: every way in which a job can end is reported as it was. Method: the programs as processes;
// jobs that end in each of the ways; exit codes and texts of argosyctl.
#include <signal.h>

#include "tests/support/process/deployment_fixture.hpp"
#include "tests/support/signals.hpp"

namespace argosy::testing {

namespace {

using namespace std::chrono_literals;

class outcomes : public deployment_fixture {
 protected:
  void SetUp() override { start_with_queue(); }
};

TEST_F(outcomes, exit_code_signal_and_a_missing_program) {
  auto file = deployment::jobs({{"exit 7"}, {"kill -s SEGV $$$$"}, {"true"}});
  // As in a pod, $$ stands for one $. The third job names a program that does not exist.
  const auto at = file.rfind("/bin/sh");
  file.replace(at, 7, "/absent/program");
  const auto got = world.ctl({"submit", world.write("jobs.yaml", file), "-o", "name"});
  ASSERT_EQ(got.code, 0) << got.err;
  auto ids = lines_of(got.out);
  ASSERT_EQ(ids.size(), 3u);
  for (auto& id : ids) id.erase(0, 4);
  for (const auto& id : ids) EXPECT_EQ(wait_for(id), 10) << world.job(id);
  const auto by_code = world.ctl({"describe", ids[0]}).out;
  EXPECT_NE(by_code.find("Exit code   7"), std::string::npos) << by_code;
  const auto by_signal = world.ctl({"describe", ids[1]}).out;
  EXPECT_NE(by_signal.find("signal"), std::string::npos) << by_signal;
  EXPECT_NE(by_signal.find("11"), std::string::npos) << by_signal;
  const auto absent = world.ctl({"describe", ids[2]}).out;
  EXPECT_NE(absent.find("/absent/program"), std::string::npos) << absent;
}

TEST_F(outcomes, an_end_that_nobody_saw_has_no_exit_code) {
  const auto ids = world.submit(
      {{witness("ran") + "; exec sleep 50", {}, "annotations: {argosy.io/onLeaseExpiry: fail}"}});
  ASSERT_EQ(ids.size(), 1u);
  ASSERT_EQ(wait_for(ids[0], "running"), 0);
  ASSERT_TRUE(eventually([&] { return !witnessed("ran").empty(); }));
  const auto shims = world.processes("argosy-shim");
  ASSERT_EQ(shims.size(), 1u) << world.process_list();
  send_signal(shims[0], SIGKILL);
  EXPECT_EQ(wait_for(ids[0]), 10);
  const auto text = world.ctl({"describe", ids[0]}).out;
  EXPECT_EQ(text.find("Exit code"), std::string::npos) << text;
  EXPECT_NE(text.find("how the command ended is not known"), std::string::npos) << text;
  EXPECT_EQ(world.job(ids[0]).find("\"exitCode\":0"), std::string::npos) << world.job(ids[0]);
}

TEST_F(outcomes, a_deadline_ends_a_job_and_is_its_reason) {
  const auto before = std::chrono::steady_clock::now();
  const auto ids = world.submit({{"exec sleep 50", "activeDeadlineSeconds: 1"}});
  ASSERT_EQ(ids.size(), 1u);
  EXPECT_EQ(wait_for(ids[0]), 10);
  EXPECT_LT(std::chrono::steady_clock::now() - before, 10s);
  const auto text = world.ctl({"describe", ids[0]}).out;
  EXPECT_TRUE(text.find("deadline") != std::string::npos ||
              text.find("DeadlineExceeded") != std::string::npos)
      << text;
  EXPECT_TRUE(eventually([&] { return world.processes("argosy-shim").empty(); }))
      << world.process_list();
}

TEST_F(outcomes, output_is_kept_up_to_its_limit_and_the_job_goes_on) {
  // The agent keeps 64 MiB of one run's output.
  const auto ids = world.submit({{"head -c 70000000 /dev/zero; " + witness("after")}});
  ASSERT_EQ(ids.size(), 1u);
  EXPECT_EQ(wait_for(ids[0]), 0);
  EXPECT_EQ(witnessed("after").size(), 1u);
  std::uintmax_t kept = 0;
  for (const auto& entry : std::filesystem::recursive_directory_iterator{world.data_dir() / "runs"})
    if (entry.is_regular_file()) kept += entry.file_size();
  // The oldest eighth of it makes room for what comes.
  EXPECT_GE(kept, 56u << 20) << "what was kept";
  EXPECT_LT(kept, (64u << 20) + 100'000) << "what was kept, with the notes of the run";
}

TEST_F(outcomes, a_cancelled_job_set_ends_whole) {
  const auto ids = world.submit(std::vector<job_text>(200, {"exec sleep 50"}), "many");
  ASSERT_EQ(ids.size(), 200u);
  const auto other = world.submit({{"exec sleep 50"}}, "other");
  ASSERT_EQ(other.size(), 1u);
  ASSERT_EQ(wait_for(ids[0], "running"), 0);
  const auto got = world.ctl({"cancel", "-q", "q", "--jobset", "many", "--wait"});
  EXPECT_EQ(got.code, 0) << got.err;
  EXPECT_EQ(got.out, "asked to cancel 200 jobs\n");
  const auto cancelled =
      world.ctl({"get", "jobs", "--jobset", "many", "--state", "cancelled", "-o", "name"});
  EXPECT_EQ(lines_of(cancelled.out).size(), 200u);
  EXPECT_EQ(wait_for(other[0], "running"), 0);
  EXPECT_TRUE(eventually([&] { return world.processes("argosy-shim").size() == 1; }))
      << world.process_list();
  // What the cancelled jobs held is free again.
  const auto more = world.submit(std::vector<job_text>(20, {"true"}), "more");
  ASSERT_EQ(more.size(), 20u);
  EXPECT_EQ(world.ctl({"wait", "-q", "q", "--jobset", "more", "--timeout", "20s"}).code, 0);
}

TEST_F(outcomes, a_gang_starts_whole_or_not_at_all) {
  const std::string member =
      "annotations: {armadaproject.io/gangId: g, armadaproject.io/gangCardinality: \"3\"}";
  std::vector<job_text> fits(3, {"true", "", member});
  auto ids = world.submit(fits, "fits");
  ASSERT_EQ(ids.size(), 3u);
  EXPECT_EQ(world.ctl({"wait", "-q", "q", "--jobset", "fits", "--timeout", "20s"}).code, 0);
  auto too_large = fits;
  too_large[2].cpu = "100000";
  ids = world.submit(too_large, "large");
  ASSERT_EQ(ids.size(), 3u);
  const auto next = world.submit({{"true"}}, "next");
  ASSERT_EQ(next.size(), 1u);
  EXPECT_EQ(wait_for(next[0]), 0) << "it came later, so that the gang has been tried";
  for (const auto& id : ids) EXPECT_TRUE(has_state(id, "QUEUED")) << world.job(id);
}

}  // namespace

}  // namespace argosy::testing
