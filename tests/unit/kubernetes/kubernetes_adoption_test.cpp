// SPDX-License-Identifier: Apache-2.0
// Goal: a new agent finds the pods of the one before, tells what became of each run, and leaves no
// pod of its own that nobody knows.
// Method: an API server in memory that has pods already; a folder for what the agent keeps.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include "runtime/backends/kubernetes/run_marks.hpp"
#include "runtime/backends/run/file.hpp"
#include "runtime/backends/run/records.hpp"
#include "tests/unit/kubernetes/kubernetes_fixture.hpp"

namespace argosy::backends {
namespace {

using ::testing::HasSubstr;

struct kubernetes_adoption : kubernetes_fixture {
  kubernetes_adoption() {
    folder = std::filesystem::temp_directory_path() /
             ("argosy-kube-" + std::to_string(::getpid()) + "-" +
              ::testing::UnitTest::GetInstance()->current_test_info()->name());
    std::filesystem::remove_all(folder);
    config.state_dir = folder;
  }
  ~kubernetes_adoption() override {
    backend.reset();
    std::filesystem::remove_all(folder);
  }

  std::filesystem::path folder;
};

TEST_F(kubernetes_adoption, each_known_run_has_one_event) {
  kube->add_pod(pod_of(run_of(1), json::parse(running)));
  kube->add_pod(pod_of(run_of(2), json::parse(failed_3)));
  kube->add_pod(pod_of(run_of(3), {{"phase", "Pending"}}));
  const auto found = open({run_of(1), run_of(2), run_of(3), run_of(4)});
  ASSERT_EQ(found.size(), 4U);
  EXPECT_EQ(found[0].phase, run_phase::running);
  EXPECT_EQ(found[1].phase, run_phase::failed);
  EXPECT_EQ(found[1].outcome.exit_code, 3);
  EXPECT_EQ(found[2].phase, run_phase::pending);
  EXPECT_EQ(found[3].phase, run_phase::failed);
  EXPECT_EQ(found[3].outcome.reason, reason::lost);
  EXPECT_TRUE(events.empty());
  set_status(run_of(1), succeeded);
  EXPECT_EQ(take_phases().back(), run_phase::succeeded);
}

TEST_F(kubernetes_adoption, a_run_whose_pod_was_never_asked_for_is_refused_and_may_run_again) {
  open();
  start(1);
  backend.reset();
  kube->pods.clear();
  const auto found = open({run_of(1), run_of(2)});
  EXPECT_EQ(found[0].phase, run_phase::failed) << "it may have done its work";
  EXPECT_EQ(found[0].outcome.reason, reason::lost);
  EXPECT_EQ(found[1].phase, run_phase::refused);
  EXPECT_EQ(found[1].outcome.reason, reason::not_started);
}

TEST_F(kubernetes_adoption, pods_that_nobody_knows_are_deleted) {
  kube->add_pod(pod_of(run_of(1), json::parse(running)));
  open();
  renew(30s, 10s);
  EXPECT_EQ(kube->count("DELETE"), 0U) << "another agent may have been asked for it since";
  EXPECT_TRUE(backend->has_strangers());
  renew(60s, 10s);
  EXPECT_THAT(kube->last("DELETE"), HasSubstr(name_of(run_of(1))));
  EXPECT_TRUE(events.empty());
  EXPECT_TRUE(backend->has_strangers()) << "it may still be alive";
  kube->remove(at(run_of(1)));
  backend->advance();
  EXPECT_FALSE(backend->has_strangers());
}

TEST_F(kubernetes_adoption, pods_of_a_successor_are_left_alone_by_an_agent_that_hears_no_more) {
  open();
  renew(30s, 10s);
  kube->add_pod(pod_of(run_of(1), json::parse(running)));
  backend->advance();
  pass(1h);
  EXPECT_EQ(kube->count("DELETE"), 0U);
}

TEST_F(kubernetes_adoption, a_pod_whose_run_is_ordered_after_all_goes_on) {
  kube->add_pod(pod_of(run_of(1), json::parse(running)));
  open();
  start(1);
  renew(30s, 10s);
  renew(60s, 10s);
  EXPECT_EQ(kube->count("DELETE"), 0U);
  EXPECT_FALSE(backend->has_strangers());
}

TEST_F(kubernetes_adoption, an_unknown_pod_that_has_ended_is_kept_for_its_output) {
  kube->add_pod(pod_of(run_of(1), json::parse(succeeded)));
  open();
  EXPECT_EQ(kube->count("DELETE"), 0U);
  pass(10min);
  EXPECT_TRUE(kube->pods.empty());
}

TEST_F(kubernetes_adoption, pods_of_another_control_plane_or_agent_are_left_alone) {
  auto foreign = pod_of(run_of(1), json::parse(running));
  foreign["metadata"]["labels"]["argosy.io/control-plane"] = "cp2";
  kube->add_pod(foreign);
  auto west = pod_of(run_of(2), json::parse(running));
  west["metadata"]["labels"]["argosy.io/cluster"] = "west";
  kube->add_pod(west);
  open();
  pass(1h);
  EXPECT_EQ(kube->count("DELETE"), 0U);
}

TEST_F(kubernetes_adoption, an_agent_without_a_control_plane_waits_until_it_has_one) {
  config.control_plane.clear();
  kube->add_pod(pod_of(run_of(1), json::parse(running)));
  open();
  EXPECT_EQ(kube->count("DELETE"), 0U);
  start(2);
  renew(30s, 10s);
  renew(60s, 10s);
  EXPECT_EQ(kube->count("DELETE"), 1U);
  EXPECT_THAT(kube->last("DELETE"), HasSubstr(name_of(run_of(1))));
}

TEST_F(kubernetes_adoption, the_lease_is_kept_across_a_restart_of_the_agent) {
  open();
  renew(30s, 10s);
  start(1);
  backend.reset();
  open({run_of(1)});
  pass(30s);
  EXPECT_EQ(kube->count("DELETE"), 0U) << "pods outlive the lease";
  start(2);
  EXPECT_EQ(kube->count("POST"), 1U) << "none is made after it";
  renew(30s, 10s);
  pass(1s);
  EXPECT_EQ(kube->count("POST"), 2U);
}

TEST_F(kubernetes_adoption, after_a_boot_of_the_machine_the_lease_is_reckoned_by_the_wall_clock) {
  auto marks = run_marks::open(folder);
  ASSERT_TRUE(marks);
  const model::run_lease lease{200s, 10s, 1'000s, 5s};
  ASSERT_TRUE(
      write_file(folder / "lease", *encode(lease_record{"another boot", lease}), sync_mode::no));
  const auto found = marks->lease(50s, boot_time{1'100s}.count());
  ASSERT_TRUE(found);
  EXPECT_EQ(found->until, 150s) << "it ends at 1200 s of the wall clock, which shows 1100 s";
  EXPECT_FALSE(marks->never_started(run_of(1))) << "marks of another boot say nothing";
}

}  // namespace
}  // namespace argosy::backends
