// SPDX-License-Identifier: Apache-2.0
// Goal: a job whose process takes its agent along each time it starts is set aside with a reason,
// and costs no other job anything (F40). Method: the test kills agent and shim whenever the job
// leaves the first trace of a process; other jobs run on the same agents meanwhile.
#include "tests/support/chaos/linked_world.hpp"
#include "tests/support/signals.hpp"

namespace argosy::chaos {

namespace {

class crashing_job : public linked_world {
 protected:
  void SetUp() override {
    world.settings().environment = {"ARGOSY_LEASES_LOSSES_MAX=2"};
    linked_world::SetUp();
  }
  void submit_crashing() {
    ASSERT_TRUE(submit({{world.job_command(60s, 0), "", "", "100m"}}, witness::ending::any));
    id_ = told.back().job;
  }
  /// How many processes of the job have begun.
  [[nodiscard]] std::size_t crashes_due() const {
    const auto all = witness::read_traces(world.traces_folder());
    const auto seen = all.find(id_);
    return seen == all.end() ? 0 : seen->second.size();
  }
  /// Kills the agent that has begun the job's run, and then the run's shim. Returns false if there
  /// is no such shim.
  bool crash() {
    for (const auto pid : world.shims()) {
      const auto words = testing::command_of(pid);
      if (words.find(id_) == std::string::npos) continue;
      for (std::size_t i = 0; i < 2; ++i) {
        if (words.find(world.agent_folder(i).string()) == std::string::npos) continue;
        world.agent(i).kill();
        testing::send_signal(pid, SIGKILL);
        world.start_agent(i);
        return true;
      }
    }
    return false;
  }
  /// Crashes whenever the job begins, until it has ended. Returns how often that was.
  std::size_t crash_until_it_ends() {
    std::size_t crashes = 0;
    EXPECT_TRUE(testing::eventually(
        [&] {
          if (crashes_due() > crashes) {
            EXPECT_TRUE(testing::eventually([&] { return crash(); })) << "run " << crashes + 1;
            ++crashes;
          }
          return has_failed();
        },
        60s));
    return crashes;
  }
  [[nodiscard]] bool has_failed() const {
    const auto got = world.ctl({"get", "jobs", "--state", "failed", "-o", "name"});
    return got.out.find(id_) != std::string::npos;
  }
  [[nodiscard]] std::string described() const { return world.ctl({"describe", id_}).out; }

 private:
  std::string id_;
};

TEST_F(crashing_job, that_kills_its_agent_in_each_run_is_set_aside_and_costs_no_other_job) {
  ASSERT_TRUE(submit(12, 3s));
  submit_crashing();
  // The job is lost as often as leases.lossesMax allows and once more. Runs whose lease lapses
  // since the machine is slow are not counted.
  EXPECT_GE(crash_until_it_ends(), 3u);
  EXPECT_NE(described().find("its runs were lost 3 times"), std::string::npos) << described();
  expect_kept();
  EXPECT_GE(found.begun_again, 1u);
}

}  // namespace

}  // namespace argosy::chaos
