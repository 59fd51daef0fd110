// SPDX-License-Identifier: Apache-2.0
// Goal: work in stages goes on by itself: jobs with names wait for one another, members of an array
// and of a gang know who they are, also when argosyd is killed between the stages. Method:
// `argosyd --dev` with its own nats-server, files of jobs, argosyctl as a process.
#include <algorithm>

#include "tests/integration/argosyctl/argosyctl_fixture.hpp"

namespace argosy::testing {

namespace {

using namespace std::chrono_literals;

class stages : public argosyctl {
 protected:
  void SetUp() override {
    argosyctl::SetUp();
    create_queue();
  }
  /// A job of queue `a` with these lines before its pod.
  [[nodiscard]] static std::string job(const std::string& lines, const std::string& command) {
    return fmt::format(
        "  - {}\n"
        "    podSpec:\n"
        "      restartPolicy: Never\n"
        "      containers:\n"
        "        - name: main\n"
        "          command: [/bin/sh, -c, '{}']\n"
        "          resources: {{requests: {{cpu: 100m, memory: 8Mi}}, limits: {{cpu: 100m, memory: "
        "8Mi}}}}\n",
        lines, command);
  }
  [[nodiscard]] outcome submit_jobs(const std::string& jobs,
                                    const std::vector<std::string>& flags = {}) const {
    const auto file = world.write("stages.yaml", "queue: a\njobSetId: s\njobs:\n" + jobs);
    std::vector<std::string> words{"submit", file, "-o", "name"};
    words.insert(words.end(), flags.begin(), flags.end());
    return ctl(words);
  }
  [[nodiscard]] std::vector<std::string> named(const std::string& name) const {
    return lines_of(ctl({"get", "jobs", "--name", name, "-o", "name"}).out);
  }
  [[nodiscard]] std::string output_of(const std::string& name) const {
    const auto ids = named(name);
    return ids.size() == 1 ? ctl({"logs", ids[0]}).out : std::string{"there is not one"};
  }
};

TEST_F(stages, follow_one_another_and_their_jobs_know_who_they_are) {
  const auto done = submit_jobs(
      job("name: prepare", "echo ready > /dev/null") +
          job("name: part\n    array: 0-4:2\n    after: prepare",
              "echo $ARGOSY_ARRAY_INDEX of "
              "$ARGOSY_ARRAY_COUNT, "
              "$(ARGOSY_ARRAY_INDEX)") +
          job("name: sum\n    after: {job: part, when: ended}", "echo done") +
          job("annotations: {armadaproject.io/gangId: g, armadaproject.io/gangCardinality: \"2\"}\n"
              "    name: pair\n    count: 2\n    after: sum",
              "echo $ARGOSY_GANG_RANK/$ARGOSY_GANG_SIZE $ARGOSY_GANG_HOSTS $ARGOSY_GANG_LEADER"),
      {"--wait", "--timeout", "60s"});
  EXPECT_EQ(done.code, 0) << done.err;
  EXPECT_EQ(lines_of(done.out).size(), 7U) << done.out;
  EXPECT_EQ(output_of("part[2]"), "2 of 3, 2\n");
  EXPECT_EQ(output_of("sum"), "done\n");
  std::vector<std::string> pair;
  for (const auto& id : named("pair")) pair.push_back(ctl({"logs", id}).out);
  std::ranges::sort(pair);
  ASSERT_EQ(pair.size(), 2U);
  EXPECT_TRUE(pair[0].starts_with("0/2 ")) << pair[0];
  EXPECT_TRUE(pair[1].starts_with("1/2 ")) << pair[1];
  EXPECT_EQ(pair[0].substr(3), pair[1].substr(3)) << "both know the same hosts";
  const auto list = ctl({"get", "jobs", "-o", "cols=name,state"});
  EXPECT_NE(list.out.find("part[4]"), std::string::npos) << list.out;
}

TEST_F(stages, end_where_the_one_before_has_failed) {
  const auto done =
      submit_jobs(job("name: bad", "exit 3") + job("name: next\n    after: bad", "true") +
                  job("name: last\n    after: next", "true") +
                  job("name: kept\n    after: bad\n    onDependencyFailed: hold", "true") +
                  job("name: tidy\n    after: {job: last, when: ended}", "echo swept"));
  EXPECT_EQ(done.code, 0) << done.err;
  EXPECT_EQ(ctl({"wait", named("tidy").at(0), "--timeout", "30s"}).code, 0);
  EXPECT_EQ(ctl({"wait", named("last").at(0), "--timeout", "30s"}).code, 11);
  const auto why = ctl({"describe", "job", named("next").at(0)});
  EXPECT_NE(why.out.find("has succeeded, which is FAILED"), std::string::npos) << why.out;
  const auto held = ctl({"get", "jobs", named("kept").at(0)});
  EXPECT_NE(held.out.find("held by argosy"), std::string::npos) << held.out;
  EXPECT_EQ(ctl({"release", named("kept").at(0)}).code, 0);
  EXPECT_EQ(ctl({"wait", named("kept").at(0), "--timeout", "30s"}).code, 0);
}

TEST_F(stages, go_on_after_jobs_of_earlier_submissions_whatever_became_of_them) {
  const auto first = submit_jobs(job("name: first", "true"), {"--wait", "--timeout", "30s"});
  const auto id = lines_of(first.out).at(0).substr(4);
  EXPECT_EQ(
      submit_jobs(job("name: second\n    after: " + id, "true"), {"--wait", "--timeout", "30s"})
          .code,
      0)
      << "what it waits for has happened";
  const auto never = submit_jobs(job("name: third\n    after: '" + id + ":failed'", "true"));
  EXPECT_NE(never.code, 0);
  EXPECT_NE(never.err.find("has ended otherwise"), std::string::npos) << never.err;
  EXPECT_NE(never.err.find("stages.yaml:4:"), std::string::npos) << never.err;
  const auto typed = ctl({"run", "-q", "a", "--cpu", "100m", "--memory", "8Mi", "--after", id,
                          "--time-limit", "1m", "--timeout", "30s", "--", "/bin/echo", "typed"});
  EXPECT_EQ(typed.out, "typed\n") << typed.err;
  EXPECT_EQ(named("echo").size(), 1U);
}

TEST_F(stages, outlast_a_server_that_is_killed_between_them) {
  const auto done =
      submit_jobs(job("name: slow", "sleep 4") + job("name: after\n    after: slow", "echo late"));
  ASSERT_EQ(done.code, 0) << done.err;
  const auto waits = ctl({"get", "jobs", named("after").at(0)});
  EXPECT_NE(waits.out.find("waits until job"), std::string::npos) << waits.out;
  world.server.signal(SIGKILL);
  static_cast<void>(world.server.wait(10s));
  ASSERT_TRUE(world.start()) << world.log();
  EXPECT_EQ(ctl({"wait", named("after").at(0), "--timeout", "60s"}).code, 0);
  EXPECT_EQ(output_of("after"), "late\n");
}

}  // namespace

}  // namespace argosy::testing
