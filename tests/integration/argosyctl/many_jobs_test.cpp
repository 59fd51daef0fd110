// SPDX-License-Identifier: Apache-2.0
// Goal: what a user does with more jobs than one request may name, or with a server under load,
// works as it does with one job. Method: `argosyd --dev`, argosyctl as a process, and pipes.
#include <signal.h>

#include "tests/integration/argosyctl/argosyctl_fixture.hpp"

namespace argosy::testing {

namespace {

using namespace std::chrono_literals;

class many_jobs : public argosyctl {
 protected:
  /// Runs a line in a shell that has argosyctl as `ctl`, and gives what it prints.
  [[nodiscard]] outcome pipe(const std::string& line) const {
    const auto file = world.write(
        "pipe.sh", fmt::format("ctl() {{ {}/argosyctl \"$@\"; }}\n{}\n", ARGOSY_BIN_DIR, line));
    return world.shell(file);
  }
};

TEST_F(many_jobs, go_through_a_pipe_from_a_list_to_a_wait) {
  create_queue();
  ASSERT_EQ(ctl({"queue", "update", "a", "--cordon"}).code, 0);
  ASSERT_EQ(submit(std::vector<std::string>(1'200, "true")).size(), 1'200U);
  EXPECT_EQ(lines_of(pipe("ctl get jobs -o name | ctl get jobs - -o name").out).size(), 1'200U);
  EXPECT_EQ(lines_of(ctl({"get", "jobs", "@last", "-o", "jsonl"}).out).size(), 1'200U);
  const auto waiting = pipe("ctl get jobs -o name | ctl wait - --timeout 300ms; echo $?");
  EXPECT_EQ(waiting.out, "124\n") << waiting.err;
  EXPECT_NE(waiting.err.find("1200 of 1200 jobs have not come that far yet (1200 queued"),
            std::string::npos)
      << waiting.err;
  EXPECT_EQ(ctl({"reprioritize", "7", "@last"}).out, "changed the priority of 1200 jobs\n");
  EXPECT_EQ(pipe("ctl get jobs -o name | ctl cancel - --wait").out, "asked to cancel 1200 jobs\n");
  const auto ended = pipe("ctl get jobs -o name | ctl wait -; echo $?");
  EXPECT_NE(ended.out.find("1200 jobs: 1200 cancelled\n11\n"), std::string::npos) << ended.out;
}

TEST_F(many_jobs, in_as_many_job_sets_are_waited_for_and_watched) {
  create_queue();
  ASSERT_EQ(ctl({"queue", "update", "a", "--cordon"}).code, 0);
  std::string script = "set -e\n";
  const auto file = job_file({"true"});
  for (int i = 0; i < 270; ++i)
    script += fmt::format("ctl submit {} --jobset s{} -o name\n", file, i);
  const auto ids = lines_of(pipe(script).out);
  ASSERT_EQ(ids.size(), 270U);
  auto wait = world.start_ctl({"wait", "-q", "a", "--quiet", "--timeout", "60s"}, "wait");
  EXPECT_EQ(ctl({"wait", "-q", "a", "--timeout", "300ms"}).code, 124);
  EXPECT_EQ(pipe("ctl get jobs --active -o name | ctl cancel -").out, "asked to cancel 270 jobs\n");
  EXPECT_EQ(wait.wait(60s), 11) << content_of(world.folder() / "wait.err");
}

TEST_F(many_jobs, are_watched_from_now_on_without_their_past) {
  create_queue();
  ASSERT_EQ(submit(std::vector<std::string>(600, "true")).size(), 600U);
  auto watch = world.start_ctl({"watch", "a", "s", "--from=now", "-o", "jsonl"}, "watch");
  const auto file = job_file({"echo late"});
  const auto seen = [&] { return content_of(world.folder() / "watch.out"); };
  std::string late;
  EXPECT_TRUE(eventually([&] {
    late = lines_of(ctl({"submit", file, "-o", "name"}).out).at(0).substr(4);
    return seen().find(late) != std::string::npos;
  }));
  const auto past = ctl({"watch", "a", "s", "--timeout", "1s", "-o", "jsonl"});
  EXPECT_EQ(past.code, 124);
  EXPECT_LT(lines_of(seen()).size(), lines_of(past.out).size());
  watch.signal(SIGINT);
  EXPECT_EQ(watch.wait(10s), 130);
}

TEST_F(many_jobs, that_come_while_their_queue_is_deleted_are_not_lost) {
  create_queue();
  const auto file = job_file({"sleep 100"});
  for (int i = 0; i < 10; ++i) {
    auto submitting = world.start_ctl({"submit", file, "-o", "name"}, "submit");
    const auto gone = ctl({"queue", "delete", "a"});
    const auto submitted = submitting.wait(30s);
    const bool queue_is_there = ctl({"get", "queue", "a"}).code == 0;
    EXPECT_EQ(gone.code == 0, !queue_is_there) << gone.out << gone.err;
    if (submitted == 0) {
      EXPECT_TRUE(queue_is_there) << "a job that was accepted has its queue";
    }
    if (!queue_is_there) create_queue();
    static_cast<void>(ctl({"cancel", "-q", "a", "--jobset", "s", "--wait"}));
  }
}

TEST_F(many_jobs, of_a_verb_that_waits_are_left_when_its_time_is_up) {
  create_queue();
  ASSERT_EQ(ctl({"queue", "update", "a", "--cordon"}).code, 0);
  const auto file = job_file({"true"});
  for (const auto& words :
       std::vector<std::vector<std::string>>{{"submit", file, "--wait", "--timeout", "300ms"},
                                             {"submit", file, "--follow", "--timeout", "300ms"},
                                             {"logs", "-f", "@last", "--timeout", "300ms"},
                                             {"wait", "@last", "--timeout", "300ms"},
                                             {"watch", "a", "s", "--timeout", "300ms"},
                                             {"get", "jobs", "-w", "--timeout", "300ms"}}) {
    const auto got = ctl(words);
    EXPECT_EQ(got.code, 124) << words[0] << ": " << got.err;
  }
  EXPECT_NE(ctl({"submit", file, "--wait", "--timeout", "300ms"}).err.find("argosyctl wait @last"),
            std::string::npos);
}

}  // namespace

}  // namespace argosy::testing
