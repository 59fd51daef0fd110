// SPDX-License-Identifier: Apache-2.0
// Goal: an agent's control group is there after it was made, however the file system is mounted.
// Method: the machine's own places, each named twice; skipped where none may be written to.
#include "runtime/backends/run/cgroup.hpp"

#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <filesystem>
#include <string>

#include "tests/integration/process_backend/process_fixture.hpp"

namespace argosy::backends {

namespace {

TEST(cgroup_base_test, survives_a_second_mount_of_the_same_place) {
  const auto name = "argosy-test-" + std::to_string(::getpid());
  auto parents = cgroup_parents();
  const auto once = parents;
  parents.insert(parents.end(), once.begin(), once.end());
  const auto base = make_cgroup_base(name, parents);
  if (base.path.empty()) GTEST_SKIP() << "no cgroup v2 here";
  EXPECT_TRUE(std::filesystem::is_directory(base.path));
  EXPECT_TRUE(make_cgroup(base.path + "/run").has_value());
  remove_cgroup(base.path);
  EXPECT_FALSE(std::filesystem::exists(base.path));
}

/// The group that an agent would have that was killed.
std::string group_of_a_killed_agent() {
  for (const auto& parent : cgroup_parents())
    if (const auto path = parent + "/argosy-00000000" + std::to_string(10'000'000 + ::getpid());
        make_cgroup(path))
      return path;
  return {};
}

class agent_cgroups : public process_fixture {};

TEST_F(agent_cgroups, that_a_killed_agent_left_are_removed_by_the_next_one) {
  const auto left = group_of_a_killed_agent();
  if (left.empty()) GTEST_SKIP() << "no cgroup v2 here";
  open();
  EXPECT_FALSE(std::filesystem::exists(left));
}

TEST_F(agent_cgroups, of_living_agents_are_left_alone_also_when_they_are_empty) {
  const auto left = group_of_a_killed_agent();
  if (left.empty()) GTEST_SKIP() << "no cgroup v2 here";
  const auto place = std::filesystem::path{left};
  auto base = make_cgroup_base(place.filename(), {place.parent_path()});
  ASSERT_EQ(base.path, left);
  open();
  EXPECT_TRUE(std::filesystem::exists(left));
  base.hold.reset();
  ASSERT_TRUE(make_cgroup(left + "/run"));
  remove_abandoned_cgroups("argosy-", {place.parent_path()});
  EXPECT_TRUE(std::filesystem::exists(left)) << "there may be a run in it";
  remove_cgroup(left + "/run");
  remove_abandoned_cgroups("argosy-", {place.parent_path()});
  EXPECT_FALSE(std::filesystem::exists(left));
}

TEST_F(agent_cgroups, contain_a_run_for_which_there_is_no_group_that_limits) {
  const auto left = group_of_a_killed_agent();
  if (left.empty()) GTEST_SKIP() << "no cgroup v2 here";
  std::filesystem::create_directories(config_.runs_dir);
  const auto runs = std::filesystem::canonical(config_.runs_dir);
  shim_plan plan;
  plan.run = "by-hand";
  plan.argv = {"/bin/cat", "/proc/self/cgroup"};
  plan.working_dir = work_folder;
  plan.cgroup = left + "/run";
  plan.memory_group = "/nowhere/agent/run";
  plan.memory_bytes = 1 << 30;
  plan.output_max = 1 << 20;
  plan.lease_file = (runs / "lease").string();
  const auto lease = encode(lease_record{boot_id(), {boot_now() + 20s}});
  ASSERT_TRUE(write_file(plan.lease_file, *lease, sync_mode::no));
  auto lock = make_run_folder(runs / "run", plan);
  ASSERT_TRUE(lock);
  const auto shim = spawn_shim(config_.shim, runs / "run", std::move(*lock));
  ASSERT_TRUE(shim);
  ::waitpid(shim->pid, nullptr, 0);
  const auto status = read_record<shim_status>(runs / "run" / run_file::status);
  ASSERT_TRUE(status) << status.error().detail;
  std::string notes;
  for (const auto& note : status->notes) notes += note + "\n";
  EXPECT_NE(notes.find("memory is not limited: cannot join"), std::string::npos) << notes;
  EXPECT_EQ(notes.find("not contained"), std::string::npos) << notes;
  const auto output = read_file(runs / "run" / run_file::output);
  ASSERT_TRUE(output);
  EXPECT_NE(output->find(std::filesystem::path{left}.filename().string() + "/run"),
            std::string::npos)
      << *output;
  remove_cgroup(left);
}

TEST(cgroup_base_test, is_nowhere_without_a_place) {
  const auto base = make_cgroup_base("argosy-test", {"/nowhere"});
  EXPECT_EQ(base.path, "");
  EXPECT_NE(base.note.find("not contained"), std::string::npos);
}

}  // namespace

}  // namespace argosy::backends
