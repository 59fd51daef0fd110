// SPDX-License-Identifier: Apache-2.0
// Goal: what a user does with argosyctl works against the real server, and every mistake gives one
// clear message, the documented code, and changes nothing. Method: `argosyd --dev` with its own
// nats-server and data folder, argosyctl as a process; output and exit codes as a script sees them.
#include <fmt/format.h>
#include <signal.h>

#include "tests/integration/argosyctl/argosyctl_fixture.hpp"

namespace argosy::testing {

namespace {

using namespace std::chrono_literals;

TEST_F(argosyctl, runs_jobs_and_shows_all_about_them) {
  create_queue();
  const auto ids = submit({"echo hello; echo world", "echo oops; exit 3"});
  ASSERT_EQ(ids.size(), 2);
  EXPECT_EQ(ctl({"wait", ids[0], "--timeout", "30s"}).code, 0);
  EXPECT_EQ(ctl({"wait", ids[1], "--timeout", "30s"}).code, 10);
  EXPECT_EQ(ctl({"wait", "@last", "--timeout", "30s"}).code, 10);
  EXPECT_EQ(ctl({"logs", ids[0]}).out, "hello\nworld\n");
  EXPECT_EQ(ctl({"logs", ids[0], "-f", "--tail", "1"}).out, "world\n");
  const auto json = ctl({"get", "job", ids[1], "-o", "json"});
  EXPECT_EQ(json.code, 0) << json.err;
  EXPECT_NE(json.out.find("\"state\":\"FAILED\""), std::string::npos) << json.out;
  EXPECT_NE(json.out.find("RUN_STATE_FAILED"), std::string::npos) << json.out;
  const auto described = ctl({"describe", ids[1]});
  EXPECT_EQ(described.code, 0) << described.err;
  EXPECT_NE(described.out.find("Exit code   3"), std::string::npos) << described.out;
  EXPECT_NE(described.out.find("failed"), std::string::npos);
  const auto names = ctl({"get", "jobs", "-q", "a", "--jobset", "s", "-o", "name"});
  EXPECT_EQ(lines_of(names.out), ids);
  EXPECT_EQ(ctl({"get", "jobs", "--state", "succeeded", "-o", "name"}).out, ids[0] + "\n");
  const auto watched = ctl({"watch", "a", "s", "--until=done", "-o", "jsonl"});
  EXPECT_EQ(watched.code, 0) << watched.err;
  EXPECT_NE(watched.out.find("\"succeeded\""), std::string::npos);
  EXPECT_NE(watched.out.find("\"failed\""), std::string::npos);
}

TEST_F(argosyctl, traces_a_job_from_the_command_line_to_its_end) {
  create_queue();
  const auto ids = submit({"true"});
  ASSERT_EQ(ctl({"wait", ids[0], "--timeout", "30s"}).code, 0);
  EXPECT_TRUE(eventually([&] {
    const auto tree = ctl({"trace", ids[0], "--all"}).out;
    return tree.find("argosyctl submit") != std::string::npos &&
           tree.find("queue") != std::string::npos;
  })) << ctl({"trace", ids[0], "--all"}).out;
  const auto story = ctl({"trace", ids[0]}).out;
  for (const auto* part : {"sent it to the server", "submitted by", "gave it room on local/",
                           "started: ", "succeeded after running"})
    EXPECT_NE(story.find(part), std::string::npos) << part << "\n" << story;
  const auto failed = submit({"exit 3"});
  ASSERT_EQ(ctl({"wait", failed[0], "--timeout", "30s"}).code, 10);
  EXPECT_NE(ctl({"trace", failed[0]}).out.find("FAILED after running"), std::string::npos);
  EXPECT_TRUE(eventually([&] {
    return ctl({"trace", failed[0], "--all"}).out.find("FAILED") != std::string::npos;
  })) << "whoever recorded it";
  const auto graph = ctl({"actors", "graph", "-o", "mermaid"});
  EXPECT_EQ(graph.code, 0) << graph.err;
  EXPECT_TRUE(graph.out.starts_with("flowchart")) << graph.out;
}

TEST_F(argosyctl, cancels_running_and_queued_jobs) {
  create_queue();
  const auto ids = submit({"sleep 100", "sleep 100", "sleep 100"});
  ASSERT_EQ(ctl({"wait", ids[0], "--for=running", "--timeout", "30s"}).code, 0);
  const auto one = ctl({"cancel", ids[0], "--wait", "--reason", "enough"});
  EXPECT_EQ(one.code, 0) << one.err;
  EXPECT_EQ(ctl({"wait", ids[0]}).code, 11);
  const auto rest = ctl({"cancel", "-q", "a", "--jobset", "s", "--wait"});
  EXPECT_EQ(rest.code, 0) << rest.err;
  EXPECT_EQ(rest.out, "asked to cancel 2 jobs\n");
  EXPECT_EQ(ctl({"wait", "-q", "a", "--jobset", "s"}).code, 11);
  EXPECT_EQ(ctl({"cancel", ids[0]}).code, 0);
}

TEST_F(argosyctl, manages_queues) {
  create_queue();
  EXPECT_EQ(ctl({"queue", "create", "a"}).code, 6);
  EXPECT_EQ(ctl({"queue", "create", "Not A Name"}).code, 2);
  EXPECT_EQ(ctl({"queue", "update", "a", "--priority-factor", "2.5"}).code, 0);
  const auto shown = ctl({"get", "queue", "a", "-o", "json"});
  EXPECT_NE(shown.out.find("\"priorityFactor\":2.5"), std::string::npos) << shown.out;
  const auto ids = submit({"sleep 100"});
  EXPECT_EQ(ctl({"queue", "delete", "a"}).code, 6);
  EXPECT_EQ(ctl({"cancel", ids[0], "--wait"}).code, 0);
  EXPECT_EQ(ctl({"queue", "delete", "a"}).code, 0);
  EXPECT_EQ(ctl({"get", "queue", "a"}).code, 3);
  EXPECT_EQ(ctl({"queue", "delete", "a"}).code, 3);
}

TEST_F(argosyctl, a_cordoned_queue_starts_nothing_until_it_is_opened) {
  ASSERT_EQ(ctl({"queue", "create", "a", "--cordon"}).code, 0);
  const auto ids = submit({"true"});
  EXPECT_EQ(ctl({"wait", ids[0], "--for=scheduled", "--timeout", "1s"}).code, 124);
  EXPECT_EQ(ctl({"queue", "update", "a", "--cordon=false"}).code, 0);
  EXPECT_EQ(ctl({"wait", ids[0], "--timeout", "30s"}).code, 0);
}

TEST_F(argosyctl, shows_what_there_is_to_run_on) {
  EXPECT_TRUE(eventually([&] { return ctl({"get", "nodes", "-o", "name"}).out != ""; }));
  EXPECT_EQ(ctl({"get", "clusters", "-o", "name"}).out, "cluster/local\n");
  EXPECT_EQ(ctl({"get", "pools", "-o", "name"}).out, "pool/default\n");
  const auto version = ctl({"version"});
  EXPECT_NE(version.out.find("server "), std::string::npos) << version.out << version.err;
}

TEST_F(argosyctl, completes_live_names) {
  create_queue();
  const auto ids = submit({"true"});
  EXPECT_EQ(ctl({"__complete", "get", "jobs", "-q", ""}).out, "a\n");
  EXPECT_EQ(ctl({"__complete", "describe", "job", ids[0].substr(4, 12)}).out,
            ids[0].substr(4) + "\n");
}

TEST_F(argosyctl, refuses_bad_submissions_and_keeps_nothing_of_them) {
  create_queue();
  const auto good = content_of(job_file({"true"}));
  const auto with = [&](const std::string& from, const std::string& to) {
    auto text = good;
    const auto at = text.find(from);
    EXPECT_NE(at, std::string::npos) << from;
    return text.replace(at, from.size(), to);
  };
  const std::vector<std::pair<std::string, std::string>> mistakes{
      {"malformed YAML", good + "  - ]\n"},
      {"an unknown field", with("image:", "imagee:")},
      {"no jobs", "queue: a\njobSetId: s\njobs: []\n"},
      {"no pod spec", "queue: a\njobSetId: s\njobs:\n  - priority: 1\n"},
      {"no containers", "queue: a\njobSetId: s\njobs:\n  - podSpec: {containers: []}\n"},
      {"requests unlike limits", with("limits: {cpu: 100m", "limits: {cpu: 200m")},
      {"a negative request", with("requests: {cpu: 100m", "requests: {cpu: -1")},
      {"an overflowing request", with("memory: 8Mi}", "memory: 99999999999Ei}")},
      {"an unknown resource", with("requests: {cpu: 100m", "requests: {pears: 1, cpu: 100m")},
      {"a name of 5 KB", with("jobSetId: s", "jobSetId: " + std::string(5'000, 'x'))},
      {"a control character", with("jobSetId: s", "jobSetId: \"s\\u001b[2J\"")},
      {"a gang without its members",
       with("  - podSpec:",
            "  - annotations: {armadaproject.io/gangId: g, "
            "armadaproject.io/gangCardinality: \"2\"}\n    podSpec:")},
      {"a pod spec that is too large", with("/bin/sh", std::string(70'000, 'x'))}};
  for (const auto& [what, text] : mistakes) {
    const auto got = ctl({"submit", world.write("bad.yaml", text)});
    EXPECT_EQ(got.code, 2) << what << ": " << got.err;
    EXPECT_EQ(got.out, "") << what;
    EXPECT_NE(got.err.find("bad.yaml"), std::string::npos) << what << ": " << got.err;
    EXPECT_EQ(got.err.find('\x1b'), std::string::npos) << what;
    EXPECT_LT(got.err.size(), 4'000) << what;
  }
  const auto unknown = ctl({"submit", job_file({"true"}), "-q", "absent"});
  EXPECT_EQ(unknown.code, 3) << unknown.err;
  EXPECT_EQ(ctl({"get", "jobs", "-o", "name"}).out, "");
}

TEST_F(argosyctl, an_idempotency_key_makes_repeating_harmless) {
  create_queue();
  const auto file = job_file({"true", "true"});
  const auto first = ctl({"submit", file, "--idempotency-key", "k1", "-o", "name"});
  const auto again = ctl({"submit", file, "--idempotency-key", "k1", "-o", "name"});
  EXPECT_EQ(first.code, 0) << first.err;
  EXPECT_EQ(again.out, first.out);
  EXPECT_EQ(lines_of(ctl({"get", "jobs", "-o", "name"}).out).size(), 2);
}

TEST_F(argosyctl, submits_many_jobs_in_several_requests) {
  create_queue();
  const auto ids = submit(std::vector<std::string>(2'500, "true"));
  EXPECT_EQ(ids.size(), 2'500);
  EXPECT_EQ(lines_of(ctl({"get", "jobs", "-o", "name"}).out).size(), 2'500);
  EXPECT_EQ(lines_of(ctl({"get", "jobs", "--no-headers"}).out).size(), 2'500);
  const auto grouped = ctl({"get", "jobs", "--by-set", "--no-headers"});
  EXPECT_EQ(lines_of(grouped.out).size(), 1) << grouped.out;
  EXPECT_EQ(ctl({"cancel", "-q", "a", "--jobset", "s"}).code, 0);
}

TEST_F(argosyctl, a_watch_survives_the_death_of_the_server) {
  create_queue();
  const auto ids = submit({"sleep 4"});
  ASSERT_EQ(ctl({"wait", ids[0], "--for=running", "--timeout", "30s"}).code, 0);
  auto watch = world.start_ctl(
      {"watch", "a", "s", "--until=done", "-o", "jsonl", "--timeout", "60s"}, "watch");
  const auto seen = [&] { return content_of(world.folder() / "watch.out"); };
  ASSERT_TRUE(eventually([&] { return seen().find("\"running\"") != std::string::npos; }));
  world.server.kill();
  start();
  EXPECT_EQ(watch.wait(60s), 0) << content_of(world.folder() / "watch.err");
  const auto events = lines_of(seen());
  std::size_t running = 0;
  std::size_t succeeded = 0;
  for (const auto& event : events) {
    running += event.find("\"running\":{") != std::string::npos ? 1 : 0;
    succeeded += event.find("\"succeeded\":{") != std::string::npos ? 1 : 0;
  }
  EXPECT_EQ(running, 1) << "none is lost and none comes twice";
  EXPECT_EQ(succeeded, 1);
}

TEST_F(argosyctl, is_interrupted_with_its_own_code) {
  create_queue();
  const auto ids = submit({"sleep 100"});
  auto wait = world.start_ctl({"wait", ids[0]}, "wait");
  ASSERT_EQ(ctl({"wait", ids[0], "--for=running", "--timeout", "30s"}).code, 0);
  wait.signal(SIGINT);
  EXPECT_EQ(wait.wait(10s), 130);
  EXPECT_EQ(ctl({"cancel", ids[0], "--wait"}).code, 0);
}

TEST_F(argosyctl, a_wait_that_begins_while_the_server_restarts_finds_it) {
  create_queue();
  const auto ids = submit({"true"});
  ASSERT_EQ(world.stop(), 0);
  EXPECT_EQ(ctl({"get", "jobs", "--timeout", "1s"}).code, 5) << "nobody comes so soon";
  auto wait = world.start_ctl({"wait", ids[0], "--timeout", "60s"}, "wait");
  start();
  EXPECT_EQ(wait.wait(60s), 0) << content_of(world.folder() / "wait.err");
}

TEST_F(argosyctl, stops_reading_when_nobody_listens_any_more) {
  create_queue();
  ASSERT_EQ(ctl({"queue", "update", "a", "--cordon"}).code, 0);
  ASSERT_EQ(submit(std::vector<std::string>(2'000, "true")).size(), 2'000);
  const auto file = world.write(
      "head.sh",
      fmt::format("{}/argosyctl get jobs -o jsonl | head -n 1 | wc -l\n", ARGOSY_BIN_DIR));
  const auto got = world.shell(file);
  EXPECT_EQ(got.out, "1\n") << got.err;
  EXPECT_EQ(got.err, "");
}

TEST_F(argosyctl, creates_the_queues_of_a_file) {
  const auto file = world.write("queues.yaml",
                                "apiVersion: armadaproject.io/v1beta1\nkind: Queue\nname: x\n"
                                "priorityFactor: 2\n---\nkind: Queue\nname: y\nlabels: {k: v}\n");
  const auto made = ctl({"queue", "create", "-f", file, "-o", "name"});
  EXPECT_EQ(made.code, 0) << made.err;
  EXPECT_EQ(made.out, "queue/x\nqueue/y\n");
  EXPECT_NE(ctl({"get", "queue", "x", "-o", "json"}).out.find("\"priorityFactor\":2"),
            std::string::npos);
  EXPECT_EQ(ctl({"queue", "create", "-f", file}).code, 6);
}

TEST_F(argosyctl, says_so_when_the_server_is_gone) {
  const auto& url = world.url();
  ASSERT_EQ(world.stop(), 0);
  const auto got = ctl({"get", "jobs", "--server", url, "--timeout", "5s"});
  EXPECT_EQ(got.code, 5);
  EXPECT_EQ(got.out, "");
  EXPECT_EQ(url.find('@'), std::string::npos) << "nothing secret is in the URL";
}

}  // namespace

}  // namespace argosy::testing
