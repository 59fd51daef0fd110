// SPDX-License-Identifier: Apache-2.0
// Goal: commands as jobs, logins, and files that declare what a server has work against the real
// server. Method: `argosyd --dev` with its own nats-server and data folder, argosyctl as a process.
#include "tests/integration/argosyctl/argosyctl_fixture.hpp"

namespace argosy::testing {

namespace {

const std::vector<std::string> small{"--cpu", "100m", "--memory", "8Mi"};

class verbs : public argosyctl {
 protected:
  [[nodiscard]] outcome run_job(std::vector<std::string> flags, const std::string& command) const {
    std::vector<std::string> words{"run", "-q", "a"};
    words.insert(words.end(), small.begin(), small.end());
    words.insert(words.end(), flags.begin(), flags.end());
    words.insert(words.end(), {"--", "/bin/sh", "-c", command});
    return ctl(words);
  }
};

TEST_F(verbs, a_command_runs_as_a_job_with_its_output_and_its_exit_code) {
  create_queue();
  const auto done = run_job({"--env", "WHO=world", "--timeout", "30s"}, "echo hello $WHO");
  EXPECT_EQ(done.code, 0) << done.err;
  EXPECT_EQ(done.out, "hello world\n");
  const auto failed = run_job({"--timeout", "30s"}, "echo oops; exit 42");
  EXPECT_EQ(failed.code, 42) << failed.err;
  EXPECT_EQ(failed.out, "oops\n");
  const auto late = run_job({"--rm", "--timeout", "2s"}, "sleep 100");
  EXPECT_EQ(late.code, 124) << late.err;
  EXPECT_EQ(ctl({"wait", "@last", "--timeout", "30s"}).code, 11) << "--rm cancels it";
  const auto detached = run_job({"--detach", "-o", "name"}, "true");
  EXPECT_EQ(ctl({"wait", lines_of(detached.out).at(0), "--timeout", "30s"}).code, 0);
}

TEST_F(verbs, a_command_has_its_two_streams) {
  create_queue();
  const auto done = run_job({"--timeout", "30s"}, "echo result; echo BAD >&2; echo more");
  EXPECT_EQ(done.code, 0) << done.err;
  EXPECT_EQ(done.out, "result\nmore\n");
  EXPECT_NE(done.err.find("BAD\n"), std::string::npos) << done.err;
  const auto again = ctl({"logs", "@last"});
  EXPECT_EQ(again.out, "result\nmore\n");
  EXPECT_EQ(again.err, "BAD\n");
  const auto one = run_job({"--timeout", "30s"}, "{ echo a; echo b >&2; echo c; } 2>&1");
  EXPECT_EQ(one.out, "a\nb\nc\n");
}

TEST_F(verbs, a_dry_run_refuses_what_the_run_would_refuse) {
  create_queue();
  for (const auto* verb : {"cancel", "preempt"}) {
    const auto wrong = ctl({verb, "-q", "a", "--priority-class", "armada-defalt", "--dry-run"});
    EXPECT_EQ(wrong.code, 3) << wrong.out;
    EXPECT_NE(wrong.err.find("no priority class 'armada-defalt'"), std::string::npos) << wrong.err;
    const auto right = ctl({verb, "-q", "a", "--priority-class", "armada-default", "--dry-run"});
    EXPECT_EQ(right.code, 0) << right.err;
  }
}

TEST_F(verbs, a_login_is_tried_before_it_is_kept) {
  const auto refused = ctl({"login", "nats://127.0.0.1:1", "--name", "no", "--timeout", "2s"});
  EXPECT_EQ(refused.code, 5) << refused.err;
  const auto done = ctl({"login", world.url(), "--name", "dev"});
  EXPECT_EQ(done.code, 0) << done.err;
  EXPECT_EQ(ctl({"config", "get-contexts", "-o", "name"}).out, "context/dev\n");
  const auto asked = ctl({"get", "queues", "--context", "dev"});
  EXPECT_EQ(asked.code, 0) << asked.err;
}

TEST_F(verbs, what_is_exported_is_applied_again_without_a_change) {
  const auto file = world.write("argosy.yaml",
                                "kind: Queue\nname: b\npriorityFactor: 2\nuserOwners: [ann]\n"
                                "retryPolicies: [twice]\n---\n"
                                "kind: RetryPolicy\nname: twice\nretryLimit: 2\n"
                                "defaultAction: Fail\nrules:\n  - action: Retry\n"
                                "    onCategory: user_error\n");
  create_queue();
  EXPECT_EQ(ctl({"diff", "-f", file}).code, 1);
  const auto made = ctl({"apply", "-f", file});
  EXPECT_EQ(made.code, 0) << made.err;
  EXPECT_EQ(made.out, "retry-policy/twice created\nqueue/b created\n");
  EXPECT_EQ(ctl({"apply", "-f", file}).out, "retry-policy/twice unchanged\nqueue/b unchanged\n");
  EXPECT_EQ(ctl({"diff", "-f", file}).code, 0);
  const auto all = world.write("all.yaml", ctl({"export"}).out);
  const auto same = ctl({"diff", "-f", all, "--prune"});
  EXPECT_EQ(same.code, 0) << same.out << same.err;
  const auto pruned = ctl({"apply", "-f", file, "--prune", "--yes"});
  EXPECT_EQ(pruned.code, 0) << pruned.err;
  EXPECT_NE(pruned.out.find("queue/a deleted"), std::string::npos) << pruned.out;
  EXPECT_NE(ctl({"describe", "queue", "b"}).out.find("Owners"), std::string::npos);
}

}  // namespace

}  // namespace argosy::testing
