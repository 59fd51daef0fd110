// SPDX-License-Identifier: Apache-2.0
// Goal: whoever submits gets each job once and the exit code 0, though the server dies or its
// answer is lost, and has to give no key for that. Method: argosyd is killed while it works on a
// submission; a proxy keeps the answer back until the server that gave it is dead; the jobs are
// counted in a queue that starts none.
#include <signal.h>

#include <set>

#include "tests/integration/argosyctl/argosyctl_fixture.hpp"
#include "tests/support/proxy/tcp_proxy.hpp"

namespace argosy::testing {

namespace {

using namespace std::chrono_literals;
namespace fs = std::filesystem;

class repeated_submission : public argosyctl {
 protected:
  void SetUp() override {
    argosyctl::SetUp();
    ASSERT_EQ(ctl({"queue", "create", "a", "--cordon"}).code, 0);
  }

  std::vector<std::string> jobs_there() const {
    auto ids = lines_of(ctl({"get", "jobs", "-q", "a", "-o", "name"}).out);
    std::ranges::sort(ids);
    return ids;
  }
  std::vector<std::string> printed(const std::string& name) const {
    auto ids = lines_of(content_of(world.folder() / (name + ".out")));
    std::ranges::sort(ids);
    return ids;
  }
  std::string said(const std::string& name) const {
    return content_of(world.folder() / (name + ".err"));
  }

  int port() const { return std::stoi(world.url().substr(world.url().rfind(':') + 1)); }

  /// Lets argosyctl log in at the other port as it does at the server's own.
  void keep_credentials_for(int other) const {
    const auto own = std::to_string(port());
    for (const auto& kept : fs::directory_iterator{world.folder() / "state/argosy/credentials"}) {
      auto name = kept.path().filename().string();
      const auto at = name.find(own);
      if (at == std::string::npos) continue;
      name.replace(at, own.size(), std::to_string(other));
      fs::copy_file(kept.path(), kept.path().parent_path() / name);
    }
  }
};

TEST_F(repeated_submission, makes_each_job_once_though_the_server_is_killed) {
  constexpr std::size_t count = 5'000;
  auto submit = world.start_ctl({"submit", job_file(std::vector<std::string>(count, "true")), "-o",
                                 "name", "--timeout", "60s"},
                                "submit");
  ASSERT_TRUE(eventually([&] { return !printed("submit").empty(); }, 30s)) << said("submit");
  world.server.kill();
  start();
  EXPECT_EQ(submit.wait(60s), 0) << said("submit");
  EXPECT_EQ(jobs_there().size(), count);
  EXPECT_EQ(printed("submit"), jobs_there());
}

TEST_F(repeated_submission, hears_of_the_jobs_whose_answer_was_lost) {
  constexpr std::size_t count = 200;
  tcp_proxy link{port()};
  keep_credentials_for(link.port());
  // Nothing is decided before the answer's way is closed.
  world.server.signal(SIGSTOP);
  auto submit = world.start_ctl(
      {"submit", job_file(std::vector<std::string>(count, "true")), "-o", "name", "--timeout",
       "60s", "--server", "nats://127.0.0.1:" + std::to_string(link.port())},
      "submit");
  ASSERT_TRUE(eventually([&] { return link.sent_by_clients() > 20'000; }, 30s)) << said("submit");
  link.set({.to_client = false});
  world.server.signal(SIGCONT);
  ASSERT_TRUE(eventually([&] { return jobs_there().size() == count; }, 30s));
  EXPECT_TRUE(printed("submit").empty());
  world.server.kill();
  link.cut();
  link.set({});
  start();
  EXPECT_EQ(submit.wait(60s), 0) << said("submit");
  EXPECT_EQ(printed("submit"), jobs_there());
  EXPECT_EQ(jobs_there().size(), count);
}

TEST_F(repeated_submission, goes_on_by_hand_under_the_key_that_was_told) {
  const auto file = job_file({"true", "true"});
  world.server.signal(SIGSTOP);
  const auto lost = ctl({"submit", file, "--timeout", "1s"});
  world.server.signal(SIGCONT);
  EXPECT_EQ(lost.code, 5) << lost.err;
  const std::string before = "--idempotency-key ";
  const auto at = lost.err.find(before);
  ASSERT_NE(at, std::string::npos) << lost.err;
  const auto key = lost.err.substr(at + before.size(), 26);
  const auto again = ctl({"submit", file, "--idempotency-key", key, "-o", "name"});
  EXPECT_EQ(again.code, 0) << again.err;
  EXPECT_EQ(jobs_there().size(), 2u);
  const auto other = ctl({"submit", job_file({"false"}), "--idempotency-key", key});
  EXPECT_EQ(other.code, 6) << other.err;
  EXPECT_NE(other.err.find("was used for another submission"), std::string::npos) << other.err;
  const std::vector<std::string> run{"run",     "-q", "a",    "--detach", "--idempotency-key",
                                     key + "r", "-o", "name", "--",       "true"};
  EXPECT_EQ(ctl(run).out, ctl(run).out);
  EXPECT_EQ(jobs_there().size(), 3u);
}

}  // namespace

}  // namespace argosy::testing
