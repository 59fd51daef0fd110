// SPDX-License-Identifier: Apache-2.0
// Goal: an agent that is root gives runs users of their own only if it may become them, and says so
// otherwise. Method: processes that give up capabilities.
#include "runtime/backends/process/protection.hpp"

#include <gtest/gtest.h>
#include <linux/capability.h>
#include <sys/syscall.h>
#include <unistd.h>

namespace argosy::backends {
namespace {

void drop(unsigned capability) {
  __user_cap_header_struct head{_LINUX_CAPABILITY_VERSION_3, 0};
  __user_cap_data_struct data[2] = {};
  ::syscall(SYS_capget, &head, data);
  data[0].effective &= ~(1u << capability);
  data[0].permitted &= ~(1u << capability);
  ::syscall(SYS_capset, &head, data);
}

process_config agent_with_range() {
  process_config out;
  out.shim = "/bin/true";
  out.users.own = model::id_range{2'000'000, 2'000'099};
  return out;
}

bool says_that_runs_are_root(const user_rules& found) {
  for (const auto& each : missing_protection(agent_with_range(), found))
    if (each.find("CAP_SETUID") != std::string::npos) return true;
  return false;
}

TEST(protection, has_users_for_runs_where_root_may_become_them) {
  if (::geteuid() != 0) GTEST_SKIP() << "only root may become others";
  const auto found = rules_of(agent_with_range());
  EXPECT_TRUE(found.own);
  EXPECT_FALSE(says_that_runs_are_root(found));
}

TEST(protection, has_none_without_the_capability_and_says_so) {
  if (::geteuid() != 0) GTEST_SKIP() << "only root may become others";
  for (const unsigned lacks : {CAP_SETUID, CAP_SETGID})
    EXPECT_EXIT(
        {
          drop(lacks);
          const auto found = rules_of(agent_with_range());
          ::_exit(!found.own && says_that_runs_are_root(found) ? 0 : 1);
        },
        ::testing::ExitedWithCode(0), "");
}

}  // namespace
}  // namespace argosy::backends
