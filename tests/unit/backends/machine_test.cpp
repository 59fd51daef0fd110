// SPDX-License-Identifier: Apache-2.0
// Goal: whatever a machine is called, its node has a name that it keeps. Method: odd host names,
// and folders in which a name was kept or something else stands.
#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/file.h>

#include "runtime/backends/platform.hpp"
#include "runtime/backends/process/machine.hpp"
#include "runtime/backends/run/file.hpp"
#include "runtime/backends/run/records.hpp"
#include "tests/support/temp_folder.hpp"

namespace argosy::backends {
namespace {

TEST(machine, makes_a_node_name_of_every_host_name) {
  EXPECT_EQ(node_name_of("Web-01.Example.ORG"), "web-01.example.org");
  EXPECT_EQ(node_name_of("a_b c/d"), "a-b-c-d");
  EXPECT_EQ(node_name_of(".-x-."), "x");
  for (const auto* none : {"", "-", "...", "/", "\xc3\xa4", "\n"})
    EXPECT_EQ(node_name_of(none), "node") << none;
  EXPECT_EQ(node_name_of("caf\xc3\xa9-1"), "caf---1");
  EXPECT_EQ(node_name_of(std::string(64, 'x')), std::string(63, 'x'));
  EXPECT_EQ(node_name_of(std::string(62, 'x') + ".y"), std::string(62, 'x'))
      << "what is cut ends with a letter, too";
  EXPECT_EQ(node_name_of(std::string(300, '-') + "z"), "z");
}

TEST(machine, keeps_the_name_that_its_folder_has) {
  testing::temp_folder folder;
  ASSERT_TRUE(write_file(folder.path() / "node", "before\n", sync_mode::no));
  EXPECT_EQ(lasting_node_name(folder.path(), ""), "before");
  const auto node = machine_node(folder.path(), "", {}, {}, {});
  EXPECT_EQ(node.name, "before");
  EXPECT_EQ(node.labels, (model::label_list{{"kubernetes.io/arch", own_architecture()},
                                            {"kubernetes.io/hostname", "before"},
                                            {"kubernetes.io/os", "linux"}}));
  EXPECT_EQ(machine_node(folder.path(), "set", {}, {}, {}).name, "set") << "what is set wins";
}

TEST(machine, is_no_other_node_while_runs_are_alive) {
  testing::temp_folder folder;
  EXPECT_EQ(lasting_node_name(folder.path(), "one"), "one");
  const auto run = folder.path() / "01m8kw0fc4bqj6mvc2edn5nfz0-1";
  std::filesystem::create_directory(run);
  ASSERT_TRUE(write_file(run / run_file::plan, "", sync_mode::no));
  unique_fd shim{::open((run / run_file::lock).c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0600)};
  ASSERT_EQ(::flock(shim.get(), LOCK_EX | LOCK_NB), 0);
  EXPECT_EQ(lasting_node_name(folder.path(), "two"), "one");
  EXPECT_EQ(lasting_node_name(folder.path(), ""), "one");
  shim.reset();
  EXPECT_EQ(lasting_node_name(folder.path(), "two"), "two");
  EXPECT_EQ(lasting_node_name(folder.path(), ""), "two") << "it is the same node";
}

TEST(machine, is_told_of_where_it_keeps_another_name_than_it_has_or_should_have) {
  EXPECT_EQ(kept_name_note(machine_name(), "", "key"), "");
  EXPECT_EQ(kept_name_note("set", "set", "key"), "");
  EXPECT_EQ(kept_name_note("before", "", "key")
                .find("node before keeps its name, though its "
                      "machine is called " +
                      machine_name() + " now: set key"),
            0U);
  EXPECT_EQ(
      kept_name_note("before", "set", "key"),
      "node before keeps its name; it gets that of key, set, when its agent starts while none "
      "of its runs goes on");
}

TEST(machine, takes_its_own_name_where_no_name_is_kept) {
  for (const auto* kept : {"", "\n", "Upper\n", "a b\n", "-x\n", "../x\n"}) {
    testing::temp_folder folder;
    ASSERT_TRUE(write_file(folder.path() / "node", kept, sync_mode::no));
    EXPECT_EQ(lasting_node_name(folder.path(), ""), machine_name()) << kept;
    EXPECT_EQ(*read_file(folder.path() / "node"), machine_name() + "\n") << kept;
  }
  testing::temp_folder folder;
  EXPECT_EQ(lasting_node_name(folder.path() / "none", ""), machine_name());
}

}  // namespace
}  // namespace argosy::backends
