// SPDX-License-Identifier: Apache-2.0
// Goal: the files of a run's folder come back as they were written, and damaged ones are refused.
// Method: round trips in a temporary folder; every prefix of an encoded record.
#include <gtest/gtest.h>

#include <filesystem>

#include "runtime/backends/process/run_folder.hpp"
#include "runtime/backends/run/cgroup.hpp"
#include "runtime/backends/run/fields.hpp"
#include "runtime/backends/run/file.hpp"
#include "runtime/backends/run/records.hpp"
#include "tests/support/temp_folder.hpp"

namespace argosy::backends {

namespace {

struct run_files : ::testing::Test {
  template <class Record>
  result<Record> round_trip(const Record& value) {
    const auto bytes = encode(value);
    EXPECT_TRUE(bytes);
    EXPECT_TRUE(write_file(dir / "record", *bytes, sync_mode::yes));
    return read_record<Record>(dir / "record");
  }

  testing::temp_folder temp;
  std::filesystem::path dir = temp.path();
};

}  // namespace

TEST_F(run_files, round_trip_all_records) {
  shim_plan plan;
  plan.run = "r-1";
  plan.container = "worker";
  plan.argv = {"a", "", "b\nc=d", "\xff\xfe"};
  plan.env = {{"A", "1=2"}, {"B", ""}};
  plan.working_dir = "work";
  plan.cgroup = "/sys/x";
  plan.cpu_millis = 1500;
  plan.memory_bytes = 1LL << 40;
  plan.limits_note = "note";
  plan.lease_file = "/l";
  plan.grace_ns = 3;
  plan.deadline_ns = 4;
  plan.output_max = 5;
  plan.memory_group = "/m";
  plan.cpu_group = "/c";
  plan.pids_group = "/p";
  plan.pod.crun = "/usr/bin/crun";
  plan.pod.crun_max_ns = 8;
  plan.pod.keeps_crun = true;
  plan.pod.containers = {{"first", true, "/i", "{}", 1, 2},
                         {"main", false, "/j", "{\"a\":1}", 0, 0}};
  plan.pod.volumes = {{true, 7}, {}};
  plan.pod.devices = {"a/b=0"};
  plan.pod.notes = {"image"};
  plan.pod.host_paths = {"/data"};
  plan.pod.parts = {{1, 0, "a/b"}, {0, 1, "c"}};
  plan.user = 0;
  plan.group = 4294967294u;
  EXPECT_EQ(*round_trip(plan), plan);
  const shim_started started{12, 13, 14, {"n", "m"}};
  EXPECT_EQ(*round_trip(started), started);
  const shim_status status{137, 9, "Error", "killed", 1, 2, {"cut"}};
  EXPECT_EQ(*round_trip(status), status);
  auto of_pod = status;
  of_pod.containers = {{"main", 7, 0, "Error", "exited"}, {"b", 137, 9, "OOMKilled", ""}};
  EXPECT_EQ(*round_trip(of_pod), of_pod);
  const stop_order stop{-1, "text", "StorageExceeded"};
  EXPECT_EQ(*round_trip(stop), stop);
  const lease_record lease{"boot", {boot_time{7}, boot_time{8}, boot_time{9}, boot_time{10}}};
  EXPECT_EQ(*round_trip(lease), lease);
}

TEST_F(run_files, refuse_every_cut_record) {
  const auto bytes = encode(shim_status{1, 0, "Error", "x", 1, 2, {}});
  ASSERT_TRUE(bytes);
  for (std::size_t size = 0; size < bytes->size(); ++size) {
    ASSERT_TRUE(write_file(dir / "record", bytes->substr(0, size), sync_mode::no));
    const auto read = read_record<shim_status>(dir / "record");
    ASSERT_FALSE(read) << size;
    EXPECT_EQ(read.error().code, ec::corrupt);
  }
}

TEST_F(run_files, refuse_a_record_of_another_kind) {
  const auto bytes = encode(stop_order{1, "x"});
  ASSERT_TRUE(write_file(dir / "record", *bytes, sync_mode::no));
  EXPECT_EQ(read_record<shim_status>(dir / "record").error().code, ec::corrupt);
  EXPECT_EQ(read_record<shim_status>(dir / "missing").error().code, ec::not_found);
}

TEST_F(run_files, refuse_zero_bytes_in_values) {
  field_list fields;
  fields.add("arg", std::string_view{"a\0b", 3});
  EXPECT_EQ(fields.encode().error().code, ec::invalid_argument);
}

TEST_F(run_files, hold_a_lease_only_within_one_boot) {
  const auto write = [&](const std::string& boot) {
    const auto bytes = encode(lease_record{boot, {boot_time{99}, boot_time{3}}});
    ASSERT_TRUE(write_file(dir / "lease", *bytes, sync_mode::no));
  };
  EXPECT_EQ(read_lease(dir / "lease"), std::nullopt);
  write("another");
  EXPECT_EQ(read_lease(dir / "lease"), std::nullopt);
  write(boot_id());
  EXPECT_EQ(read_lease(dir / "lease"), (model::run_lease{boot_time{99}, boot_time{3}}));
}

TEST(run_folder_name, names_a_run_or_nothing) {
  const model::run_key run{{{1, 2, 3}}, 7};
  EXPECT_EQ(parse_run_folder(to_string(run)), run);
  for (const char* name :
       {"", "-", "lease", "00000000000000000000000000-0", "00000000000000000000000000-01",
        "00000000000000000000000000-1x", "..-1"})
    EXPECT_EQ(parse_run_folder(name), std::nullopt) << name;
}

TEST(cgroup, finds_version_two_mounts) {
  const char* const table =
      "32 31 0:29 / /sys/fs/cgroup/cpu rw,relatime - cgroup cgroup rw,cpu\n"
      "41 31 0:38 / /sys/fs/cgroup/unified rw,relatime shared:9 - cgroup2 cgroup2 rw\n"
      "42 31 0:39 / /data rw - ext4 /dev/vda rw\nnonsense\n";
  EXPECT_EQ(cgroup2_mounts(table), std::vector<std::string>{"/sys/fs/cgroup/unified"});
  EXPECT_EQ(own_cgroup("4:memory:/a\n0::/user.slice/b\n"), "/user.slice/b");
  EXPECT_EQ(own_cgroup("4:memory:/a\n"), "");
}

TEST(cgroup, asks_nothing_of_a_missing_group) {
  kill_cgroup("");
  remove_cgroup("");
  EXPECT_FALSE(cgroup_populated("/no/such/group"));
  EXPECT_EQ(cgroup_oom_kills(""), 0);
  EXPECT_FALSE(limit_cgroup("/no/such/group", 1000, 0));
}

}  // namespace argosy::backends
