// SPDX-License-Identifier: Apache-2.0
// Control groups (version 2): one group per agent, in it one per run. They contain a run's
// processes, so that all of them can be killed at once, and limit cpu and memory if the machine
// allows it. The agent makes its group; the shim makes the run's and puts the command into it.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "runtime/backends/run/file.hpp"
#include "runtime/base/result.hpp"

namespace argosy::backends {

/// How the names of agents' groups begin.
inline constexpr const char* cgroup_prefix = "argosy-";

/// The agent's group.
struct cgroup_base {
  std::string path;  ///< Empty: runs are not contained.
  bool cpu = false;  ///< Processors can be limited, by whatever group.
  bool memory = false;
  bool pids = false;
  /// Where groups of version 1 limit what this one cannot; empty: there are none, or no need.
  std::string memory_group{};
  std::string cpu_group{};
  std::string pids_group{};
  std::string note;  ///< What is missing and why; empty when nothing is.
  /// Holds a shared lock of the group's folder, which tells other agents that the group is used.
  unique_fd hold;
};

/// Whether an agent's group may have this name: `prefix` and 16 hexadecimal digits.
[[nodiscard]] bool is_base_name(std::string_view name, std::string_view prefix);

/// The mount points of the cgroup2 file systems in a mountinfo table, proc(5).
[[nodiscard]] std::vector<std::string> cgroup2_mounts(std::string_view mountinfo);

/// The version 2 path in /proc/self/cgroup ("0::/user.slice"), or empty.
[[nodiscard]] std::string own_cgroup(std::string_view proc_self_cgroup);

/// Where an agent's group may be: below the process's own group, else at a mount's root. The same
/// place may be listed twice, since a file system may be mounted twice.
[[nodiscard]] std::vector<std::string> cgroup_parents();

/// Makes the group `name` below the first of the parents with cpu and memory controllers, else the
/// first with one of them, else the first where the process may.
[[nodiscard]] cgroup_base make_cgroup_base(const std::string& name,
                                           const std::vector<std::string>& parents);

/// Looks for what limits cpu, memory and processes instead where the group cannot.
void add_limit_groups(cgroup_base& base, const std::string& name);

/// Whether the group with this id, as sock_diag(7) tells it, is one that an agent of this machine
/// made, `prefix` and 16 hexadecimal digits, or below one, so that its processes are jobs'.
[[nodiscard]] bool is_agents_cgroup(std::string_view prefix, std::uint64_t id);

/// Removes the groups below the parents that agents left which were killed: those that are called
/// `prefix` and 16 hexadecimal digits, that nobody holds, and that have no groups in them.
void remove_abandoned_cgroups(std::string_view prefix, const std::vector<std::string>& parents);

/// A quota of cpu holds within this period, in microseconds.
inline constexpr std::int64_t cpu_period_us = 100'000;

/// Writes a control file of a group at once. Fails with what the kernel says.
[[nodiscard]] result<void> write_control(const std::string& file, std::string_view text);
/// The number behind `name` in a control file of lines "name number"; 0 if it is not there.
[[nodiscard]] std::int64_t read_counter(const std::string& file, std::string_view name);

/// Makes the group. Its parent must exist.
result<void> make_cgroup(const std::string& path);

/// Sets cpu.max and memory.max; 0 leaves a resource unlimited. The error names the file.
result<void> limit_cgroup(const std::string& path, std::int64_t cpu_millis,
                          std::int64_t memory_bytes);

/// Sets cpu.max again, 0 to no limit.
result<void> limit_cpu(const std::string& path, std::int64_t millis);

/// Sets pids.max where the group has it; 0 leaves the number of processes unlimited.
void limit_processes(const std::string& path, std::int64_t pids_max);

/// Lets groups below this one have limits of their own, where there are controllers: its own
/// processes, of which this is the only one, move into the group `pod` below it.
void divide_cgroup(const std::string& path);

/// Kills every process of the group and of those below. Nothing happens if there is no group.
void kill_cgroup(const std::string& path);

/// Whether any process is left in it. False if there is no group.
[[nodiscard]] bool cgroup_populated(const std::string& path);

/// How often the kernel killed a process of the group for lack of memory.
[[nodiscard]] std::int64_t cgroup_oom_kills(const std::string& path);

/// Removes an empty group, with the empty groups that the run made below it.
void remove_cgroup(const std::string& path);

/// Names of the groups below.
[[nodiscard]] std::vector<std::string> cgroup_children(const std::string& path);

}  // namespace argosy::backends
