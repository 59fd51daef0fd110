// SPDX-License-Identifier: Apache-2.0
// Goal: an agent's control group is there after it was made, however the file system is mounted.
// Method: the machine's own places, each named twice; skipped where none may be written to.
#include "runtime/backends/run/cgroup.hpp"

#include <gtest/gtest.h>
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

TEST(cgroup_base_test, is_nowhere_without_a_place) {
  const auto base = make_cgroup_base("argosy-test", {"/nowhere"});
  EXPECT_EQ(base.path, "");
  EXPECT_NE(base.note.find("not contained"), std::string::npos);
}

}  // namespace

}  // namespace argosy::backends
