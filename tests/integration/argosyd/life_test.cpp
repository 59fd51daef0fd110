// SPDX-License-Identifier: Apache-2.0
// Goal: argosyd serves, ends in order, comes back with all it knew, and keeps its data directory to
// itself. Method: the programs as processes in a folder of their own; witness files that the jobs
// write; /proc for what is left running.
#include <sys/resource.h>
#include <unistd.h>

#include <algorithm>

#include "tests/support/process/deployment_fixture.hpp"

namespace argosy::testing {

namespace {

using namespace std::chrono_literals;

class life : public deployment_fixture {};

TEST_F(life, runs_a_job_and_shows_it) {
  start_with_queue();
  const auto ids = world.submit({{"echo hello; echo world"}});
  ASSERT_EQ(ids.size(), 1u);
  EXPECT_EQ(wait_for(ids[0]), 0);
  EXPECT_EQ(world.ctl({"logs", ids[0]}).out, "hello\nworld\n");
  const auto json = world.job(ids[0]);
  EXPECT_NE(json.find("\"jobId\":\"" + ids[0] + "\""), std::string::npos) << json;
  EXPECT_NE(json.find("\"state\":\"SUCCEEDED\""), std::string::npos) << json;
  EXPECT_NE(json.find("\"cluster\":\"local\""), std::string::npos) << json;
}

TEST_F(life, may_open_as_many_files_as_the_machine_allows) {
  rlimit before{};
  ASSERT_EQ(::getrlimit(RLIMIT_NOFILE, &before), 0);
  const rlimit few{256, before.rlim_max};
  ASSERT_EQ(::setrlimit(RLIMIT_NOFILE, &few), 0);
  start();
  ASSERT_EQ(::setrlimit(RLIMIT_NOFILE, &before), 0);
  rlimit found{};
  ASSERT_EQ(::prlimit(world.server.pid(), RLIMIT_NOFILE, nullptr, &found), 0);
  EXPECT_EQ(found.rlim_cur, found.rlim_max);
}

TEST_F(life, an_orderly_stop_keeps_its_jobs_as_a_crash_does) {
  start_with_queue();
  const auto go = (world.folder() / "go").string();
  const auto ids =
      world.submit({{witness("run") + "; while [ ! -e " + go + " ]; do sleep 0.02; done; exit 0"}});
  ASSERT_EQ(ids.size(), 1u);
  ASSERT_EQ(wait_for(ids[0], "running"), 0);
  // This is more often than a job may come back unstarted.
  for (int i = 0; i < 5; ++i) {
    EXPECT_EQ(world.stop(), 0);
    EXPECT_EQ(world.processes("argosy-shim").size(), 1u) << world.process_list();
    EXPECT_TRUE(world.processes("nats-server").empty()) << world.process_list();
    EXPECT_NE(world.log().find("argosyd: 1 job goes on without it"), std::string::npos)
        << world.log();
    start();
    ASSERT_EQ(wait_for(ids[0], "running"), 0);
  }
  world.write("go", "");
  EXPECT_EQ(wait_for(ids[0]), 0);
  EXPECT_EQ(witnessed("run").size(), 1u) << "it was never begun again";
  EXPECT_EQ(world.stop(), 0);
  EXPECT_EQ(world.process_list(), "");
  EXPECT_EQ(world.log().find("go on without it"), std::string::npos) << "nothing runs";
}

TEST_F(life, ends_with_its_jobs_and_its_nats_server_within_five_seconds_when_told_to) {
  start_with_queue({"--end-jobs-on-stop"});
  // One job ends by itself on SIGTERM, one has to be killed after its grace period, and one has a
  // child in a session of its own.
  const auto ids = world.submit({{"exec sleep 50"},
                                 {"trap \"\" TERM; while :; do sleep 1; done"},
                                 {"setsid sleep 51 & exec sleep 50"}});
  ASSERT_EQ(ids.size(), 3u);
  for (const auto& id : ids) ASSERT_EQ(wait_for(id, "running"), 0);
  EXPECT_FALSE(world.processes("nats-server").empty());
  EXPECT_EQ(world.processes("argosy-shim").size(), 3u);
  const auto before = std::chrono::steady_clock::now();
  EXPECT_EQ(world.stop(), 0);
  EXPECT_LT(std::chrono::steady_clock::now() - before, 5s);
  EXPECT_EQ(world.process_list(), "");
  EXPECT_FALSE(std::filesystem::exists(world.ready_file()));
}

TEST_F(life, keeps_queues_jobs_and_events_across_a_restart) {
  start_with_queue();
  ASSERT_EQ(world.ctl({"queue", "update", "q", "--priority-factor", "2.5"}).code, 0);
  const auto ended = world.submit({{"echo kept"}, {"exit 3"}}, "ended");
  ASSERT_EQ(ended.size(), 2u);
  EXPECT_EQ(wait_for(ended[0]), 0);
  EXPECT_EQ(wait_for(ended[1]), 10);
  // No node has this much, so that the job stays queued.
  const auto queued = world.submit({{"true", "", "", "100000"}}, "queued");
  ASSERT_EQ(queued.size(), 1u);
  const std::vector<std::string> history{"watch",        "q",  "ended", "--from=start",
                                         "--until=done", "-o", "jsonl"};
  // The server has to look at it twice before it is sure of that.
  const auto jobs = [&] { return world.ctl({"get", "jobs", "-o", "json"}).out; };
  const auto is_explained = [&] { return jobs().find("BLOCKED") != std::string::npos; };
  ASSERT_TRUE(eventually(is_explained)) << jobs();
  const auto jobs_before = jobs();
  // The shares are left out, since only the last round of a process knows them.
  const auto queue = [&] {
    const auto text = world.ctl({"get", "queue", "q", "-o", "json"}).out;
    return text.substr(0, text.find("\"fairShare\"")) + text.substr(text.find("\"succeeded\""));
  };
  const auto queue_before = queue();
  const auto events_before = world.ctl(history).out;
  EXPECT_GE(lines_of(events_before).size(), 8u) << events_before;
  ASSERT_EQ(world.stop(), 0);
  const auto url = world.url();
  start();
  EXPECT_EQ(world.url(), url) << "the port is kept";
  ASSERT_TRUE(eventually(is_explained)) << jobs();
  EXPECT_EQ(jobs(), jobs_before);
  EXPECT_EQ(queue(), queue_before);
  EXPECT_NE(queue_before.find("\"failed\":\"1\""), std::string::npos) << queue_before;
  EXPECT_NE(queue_before.find("\"priorityFactor\":2.5"), std::string::npos) << queue_before;
  EXPECT_EQ(world.ctl(history).out, events_before);
  EXPECT_EQ(world.ctl({"logs", ended[0]}).out, "kept\n");
  EXPECT_TRUE(has_state(queued[0], "QUEUED"));
  EXPECT_EQ(world.ctl({"cancel", queued[0], "--wait"}).code, 0);
}

TEST_F(life, queued_jobs_go_on_after_a_restart) {
  start_with_queue();
  // Each job takes all of the machine but a little, so that they run one after the other.
  const auto cpus = std::to_string(std::max(1L, ::sysconf(_SC_NPROCESSORS_ONLN)));
  std::vector<job_text> all;
  for (int i = 0; i < 4; ++i) {
    const auto file = "run-" + std::to_string(i);
    all.push_back({witness(file) + "; sleep 0.4", "", "", cpus});
  }
  const auto ids = world.submit(all);
  ASSERT_EQ(ids.size(), 4u);
  ASSERT_TRUE(eventually([&] {
    return std::ranges::any_of(ids, [&](const auto& id) { return has_state(id, "RUNNING"); });
  }));
  EXPECT_TRUE(std::ranges::any_of(ids, [&](const auto& id) { return has_state(id, "QUEUED"); }));
  ASSERT_EQ(world.stop(), 0);
  start();
  for (std::size_t i = 0; i < ids.size(); ++i) {
    EXPECT_EQ(wait_for(ids[i]), 0);
    EXPECT_EQ(witnessed("run-" + std::to_string(i)).size(), 1u) << "also of the one that ran";
  }
}

TEST_F(life, a_second_server_on_the_same_data_is_refused) {
  start_with_queue();
  const auto ready = content_of(world.ready_file());
  const auto second = world.program({"argosyd", "--dev", "--data-dir", world.data_dir().string()});
  EXPECT_EQ(second.code, 6) << second.err;
  EXPECT_NE(second.err.find(world.data_dir().string()), std::string::npos) << second.err;
  EXPECT_NE(second.err.find(std::to_string(world.server.pid())), std::string::npos) << second.err;
  EXPECT_LT(second.took, 5s);
  EXPECT_TRUE(world.server.running());
  EXPECT_EQ(content_of(world.ready_file()), ready);
  const auto ids = world.submit({{"true"}});
  ASSERT_EQ(ids.size(), 1u);
  EXPECT_EQ(wait_for(ids[0]), 0);
}

TEST_F(life, a_second_server_with_the_same_ready_file_leaves_it_alone) {
  start();
  const auto ready = content_of(world.ready_file());
  const auto second = world.program({"argosyd", "--dev", "--data-dir", world.data_dir().string(),
                                     "--ready-file", world.ready_file().string()});
  EXPECT_EQ(second.code, 6) << second.err;
  EXPECT_EQ(content_of(world.ready_file()), ready);
}

TEST_F(life, a_server_without_nats_says_what_to_do) {
  const auto got = world.program({"argosyd", "--data-dir", world.data_dir().string()});
  EXPECT_EQ(got.code, 2);
  EXPECT_NE(got.err.find("--nats"), std::string::npos) << got.err;
}

TEST_F(life, serves_nobody_who_has_the_url_alone) {
  start();
  EXPECT_EQ(world.url().find('@'), std::string::npos);
  EXPECT_EQ(world.ctl({"get", "queues"}).code, 0) << "this user has the key";
  const auto stranger = world.program({"/usr/bin/env", "XDG_STATE_HOME=/nonexistent",
                                       std::string{ARGOSY_BIN_DIR} + "/argosyctl", "get", "queues",
                                       "--timeout", "5s"});
  EXPECT_EQ(stranger.code, 4) << stranger.err;
  EXPECT_NE(stranger.err.find("credentials"), std::string::npos) << stranger.err;
  EXPECT_EQ(world.process_list().find("nats://"), std::string::npos) << world.process_list();
}

TEST_F(life, keeps_its_keys_from_jobs) {
  start_with_queue();
  const auto state = world.folder() / "state" / "argosy";
  ASSERT_FALSE(std::filesystem::is_empty(state / "credentials"));
  const auto ids = world.submit({{"cat " + (state / "credentials").string() + "/*; " + "ls " +
                                  world.data_dir().string() + "; true"}});
  ASSERT_EQ(ids.size(), 1u);
  ASSERT_EQ(wait_for(ids[0]), 0);
  const auto note = world.ctl({"describe", ids[0]}).out;
  // Where the kernel refuses, the job says so, and so does the log of the server at its start.
  if (note.find("may see files of the agent") != std::string::npos) {
    EXPECT_NE(world.log().find("may read files of the agent"), std::string::npos);
    GTEST_SKIP() << note;
  }
  const auto seen = world.ctl({"logs", ids[0]}).out;
  EXPECT_EQ(seen.find("Keep it secret"), std::string::npos) << seen;
  EXPECT_EQ(seen.find("log.key"), std::string::npos) << seen;
  EXPECT_NE(seen.find("runs"), std::string::npos) << "the way to its own folder stays: " << seen;
}

}  // namespace

}  // namespace argosy::testing
