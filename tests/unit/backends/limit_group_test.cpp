// SPDX-License-Identifier: Apache-2.0
// Where the groups of version 1 are, by the tables of /proc.
#include "runtime/backends/run/limit_group.hpp"

#include <gtest/gtest.h>

#include "runtime/backends/run/cgroup.hpp"

namespace argosy::backends {
namespace {

constexpr const char* mounts =
    "31 23 0:28 / /sys/fs/cgroup rw - tmpfs tmpfs rw\n"
    "32 31 0:29 / /sys/fs/cgroup/cpu,cpuacct rw,relatime - cgroup cgroup rw,cpu,cpuacct\n"
    "33 31 0:30 /docker/7 /sys/fs/cgroup/memory rw - cgroup cgroup rw,memory\n"
    "34 31 0:31 / /sys/fs/cgroup/unified rw - cgroup2 cgroup2 rw\n";

TEST(limit_group, is_the_own_one_below_its_mount) {
  EXPECT_EQ(own_limit_group(mounts, "4:memory:/docker/7/a\n2:cpu,cpuacct:/\n0::/\n", "memory"),
            "/sys/fs/cgroup/memory/a");
  EXPECT_EQ(own_limit_group(mounts, "2:cpu,cpuacct:/\n", "cpu"), "/sys/fs/cgroup/cpu,cpuacct");
  EXPECT_EQ(own_limit_group(mounts, "2:cpu,cpuacct:/b\n", "cpu"), "/sys/fs/cgroup/cpu,cpuacct/b");
}

TEST(limit_group, is_none_where_the_tables_do_not_have_it) {
  EXPECT_EQ(own_limit_group(mounts, "0::/user\n", "memory"), "");
  EXPECT_EQ(own_limit_group(mounts, "4:memory:/elsewhere\n", "memory"), "");
  EXPECT_EQ(own_limit_group(mounts, "4:memory:/docker/77/a\n", "memory"), "");
  EXPECT_EQ(own_limit_group("", "4:memory:/\n", "memory"), "");
  EXPECT_EQ(own_limit_group(mounts, "broken\n::\n", "memory"), "");
}

TEST(limit_group, of_somebody_else_is_none_of_an_agent) {
  EXPECT_TRUE(is_base_name("argosy-0123456789abcdef", cgroup_prefix));
  EXPECT_FALSE(is_base_name("argosy-agent.service", cgroup_prefix));
  EXPECT_FALSE(is_base_name("argosy-0123456789abcdef0", cgroup_prefix));
}

}  // namespace
}  // namespace argosy::backends
