// SPDX-License-Identifier: Apache-2.0
// Goal: an agent's control group is there after it was made, however the file system is mounted.
// Method: the machine's own places, each named twice; skipped where none may be written to.
#include "runtime/backends/run/cgroup.hpp"

#include <gtest/gtest.h>
#include <unistd.h>

#include <filesystem>
#include <string>

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

TEST(cgroup_base_test, is_nowhere_without_a_place) {
  const auto base = make_cgroup_base("argosy-test", {"/nowhere"});
  EXPECT_EQ(base.path, "");
  EXPECT_NE(base.note.find("not contained"), std::string::npos);
}

}  // namespace

}  // namespace argosy::backends
