// SPDX-License-Identifier: Apache-2.0
// Goal: a program finds its own file and starts itself again, also where a loader runs it.
// Method: this program, by itself and by the loader of this machine; command lines as texts.
#include "runtime/base/program.hpp"

#include <gtest/gtest.h>
#include <unistd.h>

#include <cstdlib>

namespace argosy {
namespace {

using words = std::vector<std::string>;

constexpr auto loader = "/lib64/ld-linux-x86-64.so.2";

TEST(program, is_found_and_starts_itself_again) {
  EXPECT_EQ(own_program(), std::filesystem::read_symlink("/proc/self/exe"));
  EXPECT_EQ(own_command(), words{"/proc/self/exe"});
}

TEST(program, comes_first_without_its_loader) {
  EXPECT_EQ(without_loader({"argosyd", "--dev"}), (words{"argosyd", "--dev"}));
  EXPECT_EQ(without_loader({"/b/lib/ld-linux-x86-64.so.2", "--library-path", "/b/lib",
                            "/b/libexec/nats-server", "-c", "x"}),
            (words{"/b/libexec/nats-server", "-c", "x"}));
  EXPECT_EQ(without_loader({"/b/lib/ld-linux-x86-64.so.2", "--help"}),
            (words{"/b/lib/ld-linux-x86-64.so.2", "--help"}));
  EXPECT_EQ(without_loader({}), words{});
}

/// Run by the loader in the case below, and by nobody else.
TEST(program, DISABLED_knows_its_loader) {
  EXPECT_EQ(own_program().filename(), "test_unit_base");
  const auto again = own_command();
  ASSERT_EQ(again.size(), 4u);
  EXPECT_NE(again.front(), "/proc/self/exe");
  EXPECT_EQ(again[1], "--library-path");
  EXPECT_EQ(again[3], own_program());
}

TEST(program, knows_its_own_file_under_a_loader) {
  if (::access(loader, X_OK) != 0) GTEST_SKIP() << "there is no " << loader;
  const auto command = std::string{loader} + " --library-path /lib " + own_program().string() +
                       " --gtest_also_run_disabled_tests"
                       " --gtest_filter=program.DISABLED_knows_its_loader >/dev/null";
  EXPECT_EQ(std::system(command.c_str()), 0);
}

}  // namespace
}  // namespace argosy
