// SPDX-License-Identifier: Apache-2.0
#include "runtime/backends/run/limit_group.hpp"

#include <unistd.h>

#include <algorithm>
#include <sstream>
#include <vector>

#include "runtime/backends/run/cgroup.hpp"
#include "runtime/backends/run/file.hpp"

namespace argosy::backends {

namespace {

/// With less of a core a run takes many seconds to be shut in and to begin.
constexpr std::int64_t least_millis = 100;

/// Whether a list such as "rw,cpu,cpuacct" has the word.
bool has_word(const std::string& list, std::string_view word) {
  std::istringstream in{list};
  for (std::string each; std::getline(in, each, ',');)
    if (each == word) return true;
  return false;
}

/// Makes the group, and the agent's above it if another agent took that for abandoned.
result<void> make_below(const std::string& path) {
  if (auto made = make_cgroup(path); made) return made;
  if (auto made = make_cgroup(path.substr(0, path.rfind('/'))); !made) return made;
  return make_cgroup(path);
}

}  // namespace

std::string own_limit_group(std::string_view mountinfo, std::string_view cgroups,
                            std::string_view controller) {
  std::string own;
  std::istringstream groups{std::string{cgroups}};
  for (std::string line; std::getline(groups, line);) {
    const auto first = line.find(':');
    const auto second = line.find(':', first + 1);
    if (second != std::string::npos &&
        has_word(line.substr(first + 1, second - first - 1), controller))
      own = line.substr(second + 1);
  }
  if (own.empty()) return {};
  std::istringstream lines{std::string{mountinfo}};
  for (std::string line; std::getline(lines, line);) {
    const auto dash = line.find(" - cgroup ");
    if (dash == std::string::npos || !has_word(line.substr(line.rfind(' ') + 1), controller))
      continue;
    std::istringstream fields{line};
    std::string id, parent, device, root, point;
    fields >> id >> parent >> device >> root >> point;
    // A mount may show a part of the hierarchy alone, as in a container.
    if (root == "/") return point + (own == "/" ? "" : own);
    if (own == root || own.starts_with(root + "/")) return point + own.substr(root.size());
  }
  return {};
}

std::string make_limit_base(const std::string& name, std::string_view controller) {
  const auto parent =
      own_limit_group(read_file("/proc/self/mountinfo").value_or(std::string{}),
                      read_file("/proc/self/cgroup").value_or(std::string{}), controller);
  if (parent.empty()) return {};
  // Killed agents leave theirs behind. The kernel keeps what has groups or processes, and whoever
  // has none for the moment makes his again.
  for (const auto& other : cgroup_children(parent))
    if (is_base_name(other, cgroup_prefix)) ::rmdir((parent + "/" + other).c_str());
  auto out = parent + "/" + name;
  if (!make_cgroup(out)) return {};
  // What an agent that was killed left behind; groups that are in use stay.
  for (const auto& child : cgroup_children(out)) remove_cgroup(out + "/" + child);
  return out;
}

result<void> make_memory_group(const std::string& path, std::int64_t bytes) {
  if (path.empty()) return {};
  if (auto made = make_below(path); !made) return made;
  return bytes > 0 ? write_control(path + "/memory.limit_in_bytes", std::to_string(bytes))
                   : result<void>{};
}

result<void> make_cpu_group(const std::string& path, std::int64_t millis) {
  if (path.empty()) return {};
  if (auto made = make_below(path); !made) return made;
  return millis > 0 ? limit_cpu_group(path, millis) : result<void>{};
}

result<void> make_pids_group(const std::string& path, std::int64_t pids_max) {
  if (path.empty()) return {};
  if (auto made = make_below(path); !made) return made;
  limit_processes(path, pids_max);
  return {};
}

result<void> limit_cpu_group(const std::string& path, std::int64_t millis) {
  if (millis <= 0) return write_control(path + "/cpu.cfs_quota_us", "-1");
  if (auto set = write_control(path + "/cpu.cfs_period_us", std::to_string(cpu_period_us)); !set)
    return set;
  const auto quota = std::max(millis, least_millis) * (cpu_period_us / 1000);
  return write_control(path + "/cpu.cfs_quota_us", std::to_string(quota));
}

std::int64_t memory_group_kills(const std::string& path) {
  return path.empty() ? 0 : read_counter(path + "/memory.oom_control", "oom_kill");
}

}  // namespace argosy::backends
