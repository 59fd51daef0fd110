// SPDX-License-Identifier: Apache-2.0
// Goal: of runs that are told to stop, the outputs of all containers outlive their pods, each with
// its beginning and its end.
// Method: an API server in memory, and a folder of the test.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/support/temp_folder.hpp"
#include "tests/unit/kubernetes/kubernetes_fixture.hpp"

namespace argosy::backends {
namespace {

struct stopped_outputs : kubernetes_fixture {
  stopped_outputs() {
    config.state_dir = folder.path();
    config.rules.kept_output_per_run = {100};
  }
  ~stopped_outputs() override { backend.reset(); }

  argosy::testing::temp_folder folder;
};

TEST_F(stopped_outputs, all_containers_of_a_stopped_run_are_kept) {
  open();
  const auto run = start(1);
  kube->output[at(run)] = "first\n" + std::string(5'000, 'x') + "\nlast words\n";
  set_status(run, R"({"phase":"Running",
    "initContainerStatuses":[{"name":"init","state":{"terminated":{"exitCode":0}}},
                             {"name":"side","state":{"running":{}}}],
    "containerStatuses":[{"name":"main","state":{"running":{}}},
                         {"name":"other","state":{"waiting":{"reason":"ContainerCreating"}}}]})");
  stop(run);
  EXPECT_EQ(kube->count("DELETE"), 1U);
  kube->remove(at(run));
  backend->advance();
  for (const auto* name : {"main", "init", "side"}) {
    model::log_request wanted{run};
    wanted.container = name;
    const auto kept = read(wanted);
    ASSERT_TRUE(kept) << name;
    EXPECT_TRUE(kept->data.starts_with("first\nxxx")) << name;
    EXPECT_TRUE(kept->data.ends_with("xxx\nlast words\n")) << name;
    EXPECT_NE(kept->lost, "") << name;
  }
  model::log_request other{run};
  other.container = "other";
  EXPECT_EQ(read(other).error().code, ec::not_found) << "it had not begun";
}

TEST_F(stopped_outputs, the_last_words_are_kept_of_runs_that_are_stopped_with_many_others) {
  open();
  std::vector<model::run_key> runs;
  for (std::uint8_t i = 1; i <= 40; ++i) {
    runs.push_back(start(i));
    kube->output[at(runs.back())] = "first\n" + std::string(5'000, 'x') + "\nlast words\n";
    set_status(runs.back(), R"({"phase":"Running",
      "containerStatuses":[{"name":"main","state":{"running":{}}}]})");
  }
  for (const auto& run : runs)
    backend->stop({run, model::stop_cause::cancel, "all of them", {}}, 20s);
  backend->advance();
  for (const auto& run : runs) kube->remove(at(run));
  backend->advance();
  for (const auto& run : runs) EXPECT_TRUE(read({run})->data.ends_with("xxx\nlast words\n"));
}

}  // namespace
}  // namespace argosy::backends
