// SPDX-License-Identifier: Apache-2.0
// Goal: the output of a run that was told to stop can be read after its pod is gone, for a while
// and within bounds.
// Method: an API server in memory, and folders of the test.
#include "runtime/backends/kubernetes/kept_output.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/support/temp_folder.hpp"
#include "tests/unit/kubernetes/kubernetes_fixture.hpp"

namespace argosy::backends {
namespace {

using ::testing::HasSubstr;

struct kept_output_test : kubernetes_fixture {
  kept_output_test() {
    config.state_dir = folder.path();
    config.pods.save_output = 100;
  }
  ~kept_output_test() override { backend.reset(); }

  /// Has a run with this output stopped, and its pod go.
  model::run_key stopped(const std::string& output) {
    const auto run = start(1);
    kube->output[at(run)] = output;
    set_status(run, running);
    stop(run);
    set_status(run, failed_3);
    kube->remove(at(run));
    backend->advance();
    return run;
  }

  argosy::testing::temp_folder folder;
};

TEST_F(kept_output_test, the_output_of_a_stopped_run_outlives_its_pod_and_its_agent) {
  open();
  const auto run = stopped("hello world");
  EXPECT_THAT(kube->last("GET"), HasSubstr("/log?limitBytes=100&container=main&follow=true"));
  EXPECT_EQ(read({run, 6, 100})->data, "world");
  EXPECT_TRUE(read({run, 6, 100})->end);
  backend.reset();
  open();
  EXPECT_EQ(read({run, 0, 5})->data, "hello");
  EXPECT_FALSE(read({run, 0, 5})->end);
  pass(10min);
  EXPECT_EQ(read({run, 0, 5}).error().code, ec::not_found);
}

TEST_F(kept_output_test, an_output_that_cannot_be_read_delays_no_deletion) {
  open();
  const auto run = start(1);
  set_status(run, running);
  kube->faults.push_back({"GET", fail(ec::unreachable, "refused")});
  stop(run, 7s);
  EXPECT_EQ(kube->count("DELETE"), 1U);
  EXPECT_EQ(read({run, 0, 5})->data, "") << "the pod is still there";
}

TEST_F(kept_output_test, only_so_many_outputs_are_followed_at_a_time) {
  open();
  std::vector<model::run_key> runs;
  for (std::uint8_t i = 1; i <= 9; ++i) {
    runs.push_back(start(i));
    set_status(runs.back(), running);
  }
  kube->silent = true;
  for (const auto& run : runs) stop(run);
  std::size_t followed = 0;
  for (const auto& each : kube->requests)
    if (each.path.find("follow=true") != std::string::npos) ++followed;
  EXPECT_EQ(followed, 8U);
  EXPECT_EQ(kube->count("GET"), 9U) << "the others are read as they are now";
}

TEST(kept_outputs, the_oldest_go_first_and_a_long_one_is_cut) {
  const argosy::testing::temp_folder folder;
  const auto run_of = [](std::uint8_t serial) { return kubernetes_fixture::run_of(serial); };
  const auto path = folder.path() / "output";
  auto outputs = kept_output::open(path, {1h, 2, 1'000, 10}, boot_time{0});
  outputs.keep(run_of(1), "one", boot_time{0});
  outputs.keep(run_of(2), "0123456789abc", 1s);
  outputs.keep(run_of(3), "three", 2s);
  EXPECT_FALSE(outputs.read({run_of(1), 0, 100})) << "only two are kept";
  EXPECT_THAT(outputs.read({run_of(2), 0, 100})->data, HasSubstr("0123456789\n[the rest"));
  outputs.expire(1h + 1s);
  EXPECT_FALSE(outputs.read({run_of(2), 0, 100}));
  EXPECT_EQ(outputs.read({run_of(3), 0, 100})->data, "three");
  EXPECT_EQ(outputs.next_due(), boot_time{1h + 2s});
  outputs.keep(run_of(3), "again", 3s);
  EXPECT_EQ(outputs.read({run_of(3), 0, 100})->data, "again");
}

TEST(kept_outputs, without_a_folder_nothing_is_kept) {
  auto outputs = kept_output::open({}, {}, boot_time{0});
  outputs.keep(kubernetes_fixture::run_of(1), "one", boot_time{0});
  EXPECT_EQ(outputs.read({kubernetes_fixture::run_of(1), 0, 1}).error().code, ec::not_found);
}

}  // namespace
}  // namespace argosy::backends
