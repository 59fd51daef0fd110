// SPDX-License-Identifier: Apache-2.0
// Goal: leases, deadlines, waits and adoption do not rest on the agent's clock showing the same
// time as that of the API server.
// Method: the same story is played with the agent's clock right, an hour behind, an hour ahead, and
// set right while it runs. The API server has to be asked for the same at the same moments, and the
// same phases have to be told.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <array>
#include <ctime>

#include "tests/support/temp_folder.hpp"
#include "tests/unit/kubernetes/kubernetes_fixture.hpp"

namespace argosy::backends {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;
using story = std::vector<std::string>;

constexpr boot_time hour = std::chrono::hours{1};

struct kubernetes_clocks : kubernetes_fixture {
  kubernetes_clocks() {
    config.state_dir = folder.path();
    kube->pods_die_at_once = true;
  }
  ~kubernetes_clocks() override { backend.reset(); }

  boot_time now() const { return clock.boot() - begin; }
  wall_time server_time() const { return server_begin + now(); }
  /// "2023-11-14T22:13:20Z" by the clock of the API server.
  std::string server_text(boot_time ago = {}) const {
    const auto seconds =
        std::chrono::floor<std::chrono::seconds>(server_time() - ago).time_since_epoch().count();
    const std::time_t time = seconds;
    std::tm parts{};
    ::gmtime_r(&time, &parts);
    std::array<char, 32> text{};
    std::strftime(text.data(), text.size(), "%FT%TZ", &parts);
    return text.data();
  }
  std::string unplaced(boot_time ago = {}) const {
    return R"({"phase":"Pending","conditions":[{"type":"PodScheduled","status":"False",)"
           R"("reason":"Unschedulable","lastTransitionTime":")" +
           server_text(ago) + "\"}]}";
  }
  std::string running_now() const {
    return R"({"phase":"Running","startTime":")" + server_text() +
           R"(","containerStatuses":[{"name":"main","state":{"running":{"startedAt":")" +
           server_text() + "\"}}}]}";
  }

  void note() {
    const auto second =
        std::to_string(std::chrono::duration_cast<std::chrono::seconds>(now()).count()) + " ";
    for (; noted < kube->requests.size(); ++noted)
      told.push_back(second + kube->requests[noted].verb + " " + kube->requests[noted].path);
    for (const auto& each : events)
      if (each.note.empty())
        told.push_back(second + name_of(each.run) + " " +
                       std::to_string(static_cast<int>(each.phase)) + " " + each.outcome.reason);
    events.clear();
  }
  void pass_until(boot_time when) {
    while (now() < when) {
      pass(1s);
      note();
    }
  }

  story play(boot_time agent_ahead, bool set_right) {
    clock.set_wall(server_begin + agent_ahead);
    kube->date = server_time();
    open();
    renew(400s);
    const auto runs_on = start(1);
    const auto never_placed = start(2);
    const auto past_deadline = start(3);
    set_status(runs_on, running_now().c_str());
    set_status(never_placed, unplaced().c_str());
    kube->pods.at(at(past_deadline))["spec"]["activeDeadlineSeconds"] = 60;
    set_status(past_deadline, running_now().c_str());
    note();
    pass_until(20s);
    if (set_right) clock.set_wall(server_time());
    pass_until(310s);
    // An agent that comes back finds a pod that has waited for 100 seconds.
    backend.reset();
    kube->date = server_time();
    kube->add_pod(pod_of(run_of(4), json::parse(unplaced(100s))));
    events = open({runs_on, run_of(4)});
    note();
    renew(300s);
    pass_until(700s);
    return told;
  }

  argosy::testing::temp_folder folder;
  const boot_time begin = clock.boot();
  const wall_time server_begin = clock.wall();
  story told;
  std::size_t noted = 0;
};

story play(boot_time agent_ahead, bool set_right = false) {
  struct once : kubernetes_clocks {
    void TestBody() override {}
  };
  return once{}.play(agent_ahead, set_right);
}

TEST(kubernetes_clock, that_differs_from_the_servers_by_an_hour_changes_nothing) {
  const auto right = play({});
  const auto all = ::testing::PrintToString(right);
  EXPECT_THAT(all, HasSubstr("110 DELETE /api/v1/namespaces/jobs/pods/" +
                             kubernetes_fixture::name_of(kubernetes_fixture::run_of(3))));
  EXPECT_THAT(all, HasSubstr("300 DELETE /api/v1/namespaces/jobs/pods/" +
                             kubernetes_fixture::name_of(kubernetes_fixture::run_of(2))));
  EXPECT_THAT(all, HasSubstr("510 DELETE /api/v1/namespaces/jobs/pods/" +
                             kubernetes_fixture::name_of(kubernetes_fixture::run_of(4))));
  EXPECT_THAT(all, Not(HasSubstr("DELETE /api/v1/namespaces/jobs/pods/" +
                                 kubernetes_fixture::name_of(kubernetes_fixture::run_of(1)))))
      << "it outlives the lease";
  EXPECT_EQ(play(hour), right);
  EXPECT_EQ(play(-hour), right);
  EXPECT_EQ(play(hour, true), right);
  EXPECT_EQ(play(-hour, true), right);
}

}  // namespace
}  // namespace argosy::backends
