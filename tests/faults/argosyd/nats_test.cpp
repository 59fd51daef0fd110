// SPDX-License-Identifier: Apache-2.0
// Goal: without a nats-server there is a clear error within the time-out, and after its death the
// work goes on. Method: SIGKILL and SIGSTOP of the private nats-server of a real argosyd.
#include <signal.h>

#include "tests/support/process/deployment_fixture.hpp"
#include "tests/support/signals.hpp"

namespace argosy::testing {

namespace {

using namespace std::chrono_literals;

class nats_server_faults : public deployment_fixture {
 protected:
  pid_t nats() const {
    const auto found = world.processes("nats-server");
    return found.size() == 1 ? found[0] : -1;
  }
};

TEST_F(nats_server_faults, an_absent_server_is_said_after_the_time_out) {
  for (const auto& words : std::vector<std::vector<std::string>>{
           {"get", "jobs"},
           {"queue", "create", "q"},
           {"submit", world.write("jobs.yaml", deployment::jobs({{"true"}}))}}) {
    auto all = words;
    all.insert(all.end(), {"--server", "nats://secret@127.0.0.1:1", "--timeout", "1s"});
    const auto got = world.ctl(all);
    EXPECT_EQ(got.code, 5) << words[0];
    EXPECT_EQ(got.out, "");
    EXPECT_NE(got.err.find("127.0.0.1:1"), std::string::npos) << got.err;
    EXPECT_EQ(got.err.find("secret"), std::string::npos) << got.err;
    EXPECT_LT(got.took, 8s);
  }
}

TEST_F(nats_server_faults, no_server_named_says_how_to_name_one) {
  const auto got = world.ctl({"get", "jobs"});
  EXPECT_NE(got.code, 0);
  for (const auto* way : {"--server", "ARGOSY_SERVER", "argosyd --dev"})
    EXPECT_NE(got.err.find(way), std::string::npos) << got.err;
}

TEST_F(nats_server_faults, a_stopped_server_costs_no_more_than_the_time_out) {
  start_with_queue();
  const auto server = nats();
  ASSERT_GT(server, 0);
  send_signal(server, SIGSTOP);
  const auto got = world.ctl({"get", "jobs", "--timeout", "2s"});
  EXPECT_EQ(got.code, 5) << got.err;
  EXPECT_LT(got.took, 6s);
  send_signal(server, SIGCONT);
  EXPECT_TRUE(eventually([&] { return world.ctl({"get", "jobs", "--timeout", "2s"}).code == 0; }));
}

TEST_F(nats_server_faults, a_killed_server_is_started_again_and_work_goes_on) {
  start_with_queue();
  const auto go = (world.folder() / "go").string();
  const auto ids =
      world.submit({{witness("a") + "; while [ ! -e " + go + " ]; do sleep 0.02; done; echo end"}});
  ASSERT_EQ(ids.size(), 1u);
  ASSERT_EQ(wait_for(ids[0], "running"), 0);
  const auto server = nats();
  ASSERT_GT(server, 0);
  send_signal(server, SIGKILL);
  // During the outage there is a clear refusal in time, or an answer.
  const auto during = world.ctl({"get", "jobs", "--timeout", "10s"});
  EXPECT_TRUE(during.code == 0 || during.code == 5) << during.code << during.err;
  EXPECT_LT(during.took, 12s);
  EXPECT_TRUE(eventually([&] { return world.ctl({"get", "jobs"}).code == 0; }));
  EXPECT_NE(nats(), server);
  EXPECT_TRUE(world.server.running());
  EXPECT_TRUE(has_state(ids[0], "RUNNING"));
  world.write("go", "");
  EXPECT_EQ(wait_for(ids[0]), 0);
  EXPECT_EQ(witnessed("a").size(), 1u);
  const auto more = world.submit({{"true"}}, "more");
  ASSERT_EQ(more.size(), 1u);
  EXPECT_EQ(wait_for(more[0]), 0);
  EXPECT_EQ(world.stop(), 0);
  EXPECT_EQ(world.process_list(), "");
}

TEST_F(nats_server_faults, nothing_acknowledged_is_lost_when_it_is_killed_while_submitting) {
  start_with_queue();
  const auto file = world.write(
      "many.yaml", deployment::jobs(std::vector<job_text>(3, {"true", "", "", "100000"}), "kept"));
  std::vector<std::string> acknowledged;
  for (int kills = 0; kills < 3; ++kills) {
    auto loop = world.start_ctl(
        {"submit", file, file, file, file, file, file, "-o", "name", "--timeout", "5s"}, "ids");
    EXPECT_TRUE(eventually([&] { return !witnessed("ids.out").empty() || !loop.running(); }));
    const auto server = nats();
    ASSERT_GT(server, 0);
    send_signal(server, SIGKILL);
    EXPECT_TRUE(loop.wait(15s)) << "must end within its time-out";
    for (auto& id : witnessed("ids.out")) acknowledged.push_back(std::move(id));
    std::filesystem::remove(world.folder() / "ids.out");
    ASSERT_TRUE(eventually([&] { return world.ctl({"get", "queues"}).code == 0; }));
  }
  EXPECT_FALSE(acknowledged.empty());
  const auto known = world.ctl({"get", "jobs", "--jobset", "kept", "-o", "name"}).out;
  std::size_t lost = 0;
  for (const auto& id : acknowledged) lost += known.find(id + "\n") == std::string::npos ? 1 : 0;
  EXPECT_EQ(lost, 0u) << "of " << acknowledged.size();
  EXPECT_TRUE(world.server.running());
  const auto more = world.submit({{"true"}}, "more");
  ASSERT_EQ(more.size(), 1u);
  EXPECT_EQ(wait_for(more[0]), 0);
}

}  // namespace

}  // namespace argosy::testing
