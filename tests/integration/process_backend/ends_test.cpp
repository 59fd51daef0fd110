// SPDX-License-Identifier: Apache-2.0
// Goal: what a run's end says of its container, and that what the job asks for is never called a
// fault of the machine. Method: real shims and commands that end in each way.
#include "tests/integration/process_backend/process_fixture.hpp"

namespace argosy::backends {

class process_ends : public process_fixture {};

TEST_F(process_ends, tells_how_its_container_ended_by_its_name) {
  open();
  auto named = shell("exit 74");
  named.plan.container = "worker";
  const auto end = run_to_end(std::move(named));
  ASSERT_EQ(end.outcome.containers.size(), 1U);
  EXPECT_EQ(end.outcome.containers[0].name, "worker");
  EXPECT_EQ(end.outcome.containers[0].exit_code, 74);
  auto fine = shell("true");
  fine.plan.container = "worker";
  EXPECT_TRUE(run_to_end(std::move(fine)).outcome.containers.empty());
}

TEST_F(process_ends, for_a_folder_that_no_machine_has_blame_the_job) {
  open();
  for (const auto& name : {std::string(300, 'x'), "/" + std::string(300, 'x')}) {
    auto named = command({"true"});
    named.plan.working_dir = name;
    const auto end = run_to_end(std::move(named));
    EXPECT_EQ(end.outcome.reason, reason::unsupported) << "the machine is not to blame";
    EXPECT_NE(end.outcome.message.find("workingDir is too long"), std::string::npos);
  }
  auto missing = command({"true"});
  missing.plan.working_dir = "/no/such/folder";
  const auto end = run_to_end(std::move(missing));
  EXPECT_EQ(end.phase, model::run_phase::failed);
  EXPECT_EQ(end.outcome.reason, "StartError");
}

/// Its folder is made, and its shim begins only then.
TEST_F(process_ends, of_an_output_is_not_said_before_the_run_begins) {
  open();
  const auto run = command({"true"}).order->run;
  std::filesystem::create_directories(folder(run));
  const auto chunk = part({run});
  ASSERT_TRUE(chunk);
  EXPECT_TRUE(chunk->data.empty());
  EXPECT_FALSE(chunk->end);
}

}  // namespace argosy::backends
