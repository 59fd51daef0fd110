// SPDX-License-Identifier: Apache-2.0
// Goal: kill -9 of argosyd loses nothing that was acknowledged and runs nothing twice. Method: the
// programs as processes, SIGKILL at moments that the machine chooses; jobs append a line to a
// witness file for every time that they run.
#include <signal.h>

#include <set>

#include "tests/support/process/deployment_fixture.hpp"

namespace argosy::testing {

namespace {

using namespace std::chrono_literals;
using std::chrono::steady_clock;

class kill_argosyd : public deployment_fixture {
 protected:
  void SetUp() override { start_with_queue(); }

  /// A job that writes its witness and then waits for the file `go`.
  job_text waiting_job(const std::string& name, const std::string& end) const {
    return {witness(name) + "; while [ ! -e " + (world.folder() / "go").string() +
            " ]; do sleep 0.02; done; " + end};
  }

  /// All jobs of the job set, as "job/ID".
  std::set<std::string> known_jobs(const std::string& job_set) const {
    const auto got = world.ctl({"get", "jobs", "--jobset", job_set, "-o", "name"});
    EXPECT_EQ(got.code, 0) << got.err;
    const auto lines = lines_of(got.out);
    return {lines.begin(), lines.end()};
  }
};

TEST_F(kill_argosyd, runs_live_on_and_are_adopted) {
  const auto ids = world.submit({waiting_job("a", "echo end"), waiting_job("b", "exit 3"),
                                 waiting_job("c", "exec sleep 50")});
  ASSERT_EQ(ids.size(), 3u);
  for (const auto& id : ids) ASSERT_EQ(wait_for(id, "running"), 0);
  world.server.kill();
  EXPECT_EQ(world.processes("argosy-shim").size(), 3u) << world.process_list();
  start();
  // A server that begins tries for a moment what the kernel allows, with a shim that has no run.
  const auto with_runs = "argosy-shim " + (world.data_dir() / "runs").string();
  EXPECT_EQ(world.processes(with_runs).size(), 3u) << world.process_list();
  for (const auto& id : ids) EXPECT_TRUE(has_state(id, "RUNNING")) << world.job(id);
  world.write("go", "");
  EXPECT_EQ(wait_for(ids[0]), 0);
  EXPECT_EQ(wait_for(ids[1]), 10);
  EXPECT_EQ(world.ctl({"logs", ids[0]}).out, "end\n");
  EXPECT_EQ(world.ctl({"cancel", ids[2], "--wait"}).code, 0) << "an adopted run can be ended";
  for (const auto* name : {"a", "b", "c"}) EXPECT_EQ(witnessed(name).size(), 1u) << name;
  EXPECT_TRUE(eventually([&] { return world.processes("argosy-shim").empty(); }))
      << world.process_list();
}

TEST_F(kill_argosyd, runs_that_end_meanwhile_are_told_as_they_were) {
  const auto ids = world.submit({waiting_job("a", "echo end"), waiting_job("b", "exit 3")});
  ASSERT_EQ(ids.size(), 2u);
  for (const auto& id : ids) ASSERT_EQ(wait_for(id, "running"), 0);
  world.server.kill();
  world.write("go", "");
  ASSERT_TRUE(eventually([&] { return world.processes("argosy-shim").empty(); }))
      << world.process_list();
  start();
  EXPECT_EQ(wait_for(ids[0]), 0);
  EXPECT_EQ(wait_for(ids[1]), 10);
  EXPECT_NE(world.ctl({"describe", ids[1]}).out.find("Exit code   3"), std::string::npos);
  EXPECT_EQ(world.ctl({"logs", ids[0]}).out, "end\n");
  for (const auto* name : {"a", "b"}) EXPECT_EQ(witnessed(name).size(), 1u) << name;
}

TEST_F(kill_argosyd, a_nats_server_that_survived_is_ended) {
  world.server.kill();
  ASSERT_TRUE(eventually([&] { return world.processes("nats-server").empty(); }))
      << world.process_list();
  const auto nats = world.data_dir() / "nats";
  // This nats-server stands for one that the kernel did not end together with its parent.
  launch how;
  how.words = {"/usr/sbin/nats-server", "-c", (nats / "nats.conf").string()};
  child survivor{how};
  world.write("data/nats/nats.pid", std::to_string(survivor.pid()) + "\n");
  start();
  EXPECT_FALSE(survivor.running());
  EXPECT_EQ(world.processes("nats-server").size(), 1u) << world.process_list();
  const auto ids = world.submit({{"true"}});
  ASSERT_EQ(ids.size(), 1u);
  EXPECT_EQ(wait_for(ids[0]), 0);
}

TEST_F(kill_argosyd, no_acknowledged_job_is_lost_while_submitting) {
  // The jobs are so large that they stay queued.
  const auto file = world.write(
      "many.yaml",
      deployment::jobs(std::vector<job_text>(
                           3, {"true", "", "annotations: {argosy.io/onNeverFits: hold}", "100000"}),
                       "kept"));
  std::vector<std::string> acknowledged;
  for (int kills = 0; kills < 5; ++kills) {
    // Several submit at a time, each in an endless loop, so that the kill meets requests that are
    // under way.
    const auto before = acknowledged.size();
    std::vector<child> loops;
    for (int i = 0; i < 3; ++i) {
      launch how;
      how.words = {"/bin/sh", "-c",
                   "while :; do " ARGOSY_BIN_DIR "/argosyctl submit " + file +
                       " -o name --timeout 2s || exit; done"};
      how.environment = {"HOME=" + world.folder().string(), "ARGOSY_SERVER=" + world.url(),
                         "XDG_STATE_HOME=" + (world.folder() / "state").string()};
      how.out = world.folder() / ("ids-" + std::to_string(kills) + "-" + std::to_string(i));
      loops.emplace_back(how);
    }
    // Each kill comes after another number of answers.
    const auto wanted = static_cast<std::size_t>(20 + 13 * kills);
    const auto collect = [&] {
      std::vector<std::string> ids;
      for (int i = 0; i < 3; ++i) {
        const auto name = "ids-" + std::to_string(kills) + "-" + std::to_string(i);
        for (auto& line : witnessed(name)) ids.push_back(std::move(line));
      }
      return ids;
    };
    EXPECT_TRUE(eventually([&] { return collect().size() >= wanted; }));
    world.server.kill();
    for (auto& loop : loops) EXPECT_TRUE(loop.wait(10s)) << "argosyctl must end without a server";
    for (auto& id : collect()) acknowledged.push_back(std::move(id));
    EXPECT_GE(acknowledged.size(), before + wanted);
    start();
    const auto known = known_jobs("kept");
    std::size_t lost = 0;
    for (const auto& id : acknowledged) lost += known.contains(id) ? 0 : 1;
    EXPECT_EQ(lost, 0u) << "of " << acknowledged.size();
    EXPECT_EQ(known.size() % 3, 0u) << "a request is accepted whole or not at all";
  }
  EXPECT_EQ(std::set<std::string>(acknowledged.begin(), acknowledged.end()).size(),
            acknowledged.size());
  EXPECT_EQ(world.ctl({"cancel", "-q", "q", "--jobset", "kept", "--wait"}).code, 0);
}

TEST_F(kill_argosyd, a_retry_with_the_same_key_creates_nothing_twice) {
  const auto file = world.write(
      "many.yaml", deployment::jobs(std::vector<job_text>(4, {"true", "", "", "100000"}), "once"));
  for (int round = 0; round < 3; ++round) {
    const auto key = "key-" + std::to_string(round);
    const std::vector<std::string> words{"submit", file,        "-o", "name", "--idempotency-key",
                                         key,      "--timeout", "20s"};
    auto first = world.start_ctl(words, key);
    if (round == 1) static_cast<void>(first.wait(20s));
    world.server.kill();
    start();
    static_cast<void>(first.wait(30s));
    const auto got = world.ctl(words);
    EXPECT_EQ(got.code, 0) << got.err;
    EXPECT_EQ(lines_of(got.out).size(), 4u);
    for (const auto& id : lines_of(content_of(world.folder() / (key + ".out"))))
      EXPECT_NE(got.out.find(id), std::string::npos) << "another id for the same job";
    EXPECT_EQ(known_jobs("once").size(), 4u * static_cast<std::size_t>(round + 1));
  }
}

TEST_F(kill_argosyd, jobs_run_once_whenever_it_is_killed) {
  std::vector<job_text> all;
  for (int i = 0; i < 40; ++i) all.push_back({witness("run-" + std::to_string(i)) + "; sleep 0.1"});
  const auto ids = world.submit(all);
  ASSERT_EQ(ids.size(), 40u);
  const auto started = [&] {
    std::size_t count = 0;
    for (int i = 0; i < 40; ++i) count += witnessed("run-" + std::to_string(i)).size();
    return count;
  };
  for (const std::size_t enough : {1u, 8u, 20u}) {
    EXPECT_TRUE(eventually([&] { return started() >= enough; }));
    world.server.kill();
    start();
  }
  for (const auto& id : ids) EXPECT_EQ(wait_for(id), 0) << world.job(id);
  for (int i = 0; i < 40; ++i)
    EXPECT_EQ(witnessed("run-" + std::to_string(i)).size(), 1u) << ids[static_cast<std::size_t>(i)];
}

}  // namespace

}  // namespace argosy::testing
