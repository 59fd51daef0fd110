// SPDX-License-Identifier: Apache-2.0
#include "runtime/backends/run/cgroup.hpp"

#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <charconv>
#include <chrono>
#include <filesystem>
#include <set>
#include <sstream>
#include <thread>
#include <utility>

#include "runtime/backends/run/file.hpp"
#include "runtime/backends/run/limit_group.hpp"

namespace argosy::backends {

namespace {

namespace fs = std::filesystem;

/// How often and how soon again to try to hold a group that another agent is just looking at.
constexpr int hold_attempts = 50;
constexpr std::chrono::milliseconds hold_period{1};

/// The kernel takes no smaller quota.
constexpr std::int64_t least_quota_us = 1'000;

std::vector<std::string> words(std::string_view text) {
  std::istringstream in{std::string{text}};
  std::vector<std::string> out;
  for (std::string word; in >> word;) out.push_back(word);
  return out;
}

/// Offers the controller to the groups below `path`. Returns false if that is not possible.
bool enable_controller(const std::string& path, const std::string& name) {
  const auto available = read_file(path + "/cgroup.controllers", 65536);
  if (!available) return false;
  for (const auto& word : words(*available))
    if (word == name)
      return write_control(path + "/cgroup.subtree_control", "+" + name).has_value();
  return false;
}

/// Takes the shared lock of the group, and makes the group again if another agent removed it before
/// the lock was there. Anybody may lock the folder, so that this does not wait for long; without a
/// lock, the group is used all the same.
unique_fd hold_cgroup(const std::string& path) {
  for (int i = 0; i < hold_attempts && make_cgroup(path); ++i) {
    unique_fd out{::open(path.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC)};
    struct stat held {
    }, now{};
    if (out && ::flock(out.get(), LOCK_SH | LOCK_NB) == 0 && ::fstat(out.get(), &held) == 0 &&
        ::stat(path.c_str(), &now) == 0 && held.st_ino == now.st_ino)
      return out;
    std::this_thread::sleep_for(hold_period);
  }
  return {};
}

cgroup_base try_base(const std::string& parent, const std::string& name) {
  cgroup_base out;
  const bool cpu = enable_controller(parent, "cpu");
  const bool memory = enable_controller(parent, "memory");
  const bool pids = enable_controller(parent, "pids");
  const auto path = parent + "/" + name;
  if (!make_cgroup(path)) return out;
  if (::access((path + "/cgroup.kill").c_str(), W_OK) != 0) {
    ::rmdir(path.c_str());
    return out;
  }
  out.path = path;
  out.hold = hold_cgroup(path);
  out.cpu = cpu && enable_controller(path, "cpu");
  out.memory = memory && enable_controller(path, "memory");
  out.pids = pids && enable_controller(path, "pids");
  return out;
}

std::string describe_missing(const cgroup_base& base) {
  if (base.path.empty() && base.cpu && base.memory)
    return "processes are not contained: no cgroup v2 that the agent may write to";
  if (base.path.empty())
    return "cpu and memory are not limited and processes are not contained: "
           "no cgroup v2 that the agent may write to";
  if (base.cpu && base.memory) return {};
  const char* what = base.cpu ? "memory is" : base.memory ? "cpu is" : "cpu and memory are";
  return std::string{what} + " not limited: the cgroup v2 of this machine has no such controller";
}

/// Whether the group or one below it has this id, which is the number of its inode.
bool holds(const std::string& path, std::uint64_t id) {
  struct stat found {};
  if (::stat(path.c_str(), &found) != 0) return false;
  if (found.st_ino == id) return true;
  for (const auto& child : cgroup_children(path))
    if (holds(path + "/" + child, id)) return true;
  return false;
}

}  // namespace

result<void> write_control(const std::string& file, std::string_view text) {
  const unique_fd fd{::open(file.c_str(), O_WRONLY | O_CLOEXEC)};
  if (!fd) return fail(system_error("open '" + file + "'", errno));
  if (::write(fd.get(), text.data(), text.size()) < 0)
    return fail(system_error("write '" + file + "'", errno));
  return {};
}

std::int64_t read_counter(const std::string& file, std::string_view name) {
  const auto text = read_file(file, 65536);
  if (!text) return 0;
  const auto all = words(*text);
  std::int64_t value = 0;
  for (std::size_t i = 0; i + 1 < all.size(); i += 2)
    if (all[i] == name)
      std::from_chars(all[i + 1].data(), all[i + 1].data() + all[i + 1].size(), value);
  return value;
}

bool is_base_name(std::string_view name, std::string_view prefix) {
  constexpr std::size_t digits = 16;
  return name.starts_with(prefix) && name.size() == prefix.size() + digits &&
         name.find_first_not_of("0123456789abcdef", prefix.size()) == std::string_view::npos;
}

std::vector<std::string> cgroup2_mounts(std::string_view mountinfo) {
  std::vector<std::string> out;
  std::istringstream lines{std::string{mountinfo}};
  for (std::string line; std::getline(lines, line);) {
    const auto dash = line.find(" - ");
    if (dash == std::string::npos ||
        !std::string_view{line}.substr(dash + 3).starts_with("cgroup2 "))
      continue;
    const auto fields = words(std::string_view{line}.substr(0, dash));
    if (fields.size() > 4) out.push_back(fields[4]);
  }
  return out;
}

std::string own_cgroup(std::string_view proc_self_cgroup) {
  std::istringstream lines{std::string{proc_self_cgroup}};
  for (std::string line; std::getline(lines, line);)
    if (line.starts_with("0::")) return line.substr(3);
  return {};
}

std::vector<std::string> cgroup_parents() {
  std::vector<std::string> out;
  const auto mountinfo = read_file("/proc/self/mountinfo");
  if (!mountinfo) return out;
  const auto own = own_cgroup(read_file("/proc/self/cgroup").value_or(std::string{}));
  for (const auto& mount : cgroup2_mounts(*mountinfo)) {
    if (!own.empty() && own != "/") out.push_back(mount + own);
    out.push_back(mount);
  }
  return out;
}

cgroup_base make_cgroup_base(const std::string& name, const std::vector<std::string>& parents) {
  cgroup_base best;
  std::set<std::pair<dev_t, ino_t>> seen;
  for (const auto& parent : parents) {
    if (best.cpu && best.memory) break;
    // One file system may be mounted at several places, some of them read-only; a group that was
    // made must not be removed as the worse of two.
    struct stat place {};
    if (::stat(parent.c_str(), &place) != 0) continue;
    const std::pair key{place.st_dev, place.st_ino};
    if (seen.contains(key)) continue;
    auto found = try_base(parent, name);
    if (!found.path.empty()) seen.insert(key);
    const bool better = found.cpu + found.memory > best.cpu + best.memory;
    if (found.path.empty() || (!better && !best.path.empty())) {
      if (!found.path.empty()) ::rmdir(found.path.c_str());
      continue;
    }
    if (!best.path.empty()) ::rmdir(best.path.c_str());
    best = std::move(found);
  }
  best.note = describe_missing(best);
  return best;
}

void add_limit_groups(cgroup_base& base, const std::string& name) {
  if (!base.memory) base.memory_group = make_limit_base(name, "memory");
  if (!base.cpu) base.cpu_group = make_limit_base(name, "cpu");
  if (!base.pids) base.pids_group = make_limit_base(name, "pids");
  base.memory = base.memory || !base.memory_group.empty();
  base.cpu = base.cpu || !base.cpu_group.empty();
  base.note = describe_missing(base);
}

bool is_agents_cgroup(std::string_view prefix, std::uint64_t id) {
  for (const auto& parent : cgroup_parents())
    for (const auto& name : cgroup_children(parent))
      if (is_base_name(name, prefix) && holds(parent + "/" + name, id)) return true;
  return false;
}

void remove_abandoned_cgroups(std::string_view prefix, const std::vector<std::string>& parents) {
  for (const auto& parent : parents)
    for (const auto& name : cgroup_children(parent)) {
      if (!is_base_name(name, prefix)) continue;
      const auto path = parent + "/" + name;
      const unique_fd fd{::open(path.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC)};
      // A group in which there are others is not empty for the kernel, which refuses to remove it.
      if (fd && ::flock(fd.get(), LOCK_EX | LOCK_NB) == 0) ::rmdir(path.c_str());
    }
}

result<void> make_cgroup(const std::string& path) {
  if (::mkdir(path.c_str(), 0755) != 0 && errno != EEXIST)
    return fail(system_error("make cgroup '" + path + "'", errno));
  return {};
}

result<void> limit_cgroup(const std::string& path, std::int64_t cpu_millis,
                          std::int64_t memory_bytes) {
  if (cpu_millis > 0)
    if (auto set = limit_cpu(path, cpu_millis); !set) return set;
  if (memory_bytes > 0) {
    if (auto set = write_control(path + "/memory.max", std::to_string(memory_bytes)); !set)
      return set;
  }
  return {};
}

result<void> limit_cpu(const std::string& path, std::int64_t millis) {
  const auto quota = std::max(millis * (cpu_period_us / 1000), least_quota_us);
  return write_control(path + "/cpu.max", (millis > 0 ? std::to_string(quota) : "max") + " " +
                                              std::to_string(cpu_period_us));
}

void limit_processes(const std::string& path, std::int64_t pids_max) {
  if (pids_max > 0) static_cast<void>(write_control(path + "/pids.max", std::to_string(pids_max)));
}

void divide_cgroup(const std::string& path) {
  const auto own = path + "/pod";
  if (!make_cgroup(own) || !write_control(own + "/cgroup.procs", "0")) return;
  for (const char* name : {"cpu", "memory", "pids"}) enable_controller(path, name);
}

void kill_cgroup(const std::string& path) {
  if (!path.empty()) static_cast<void>(write_control(path + "/cgroup.kill", "1"));
}

bool cgroup_populated(const std::string& path) {
  return !path.empty() && read_counter(path + "/cgroup.events", "populated") > 0;
}

std::int64_t cgroup_oom_kills(const std::string& path) {
  return path.empty() ? 0 : read_counter(path + "/memory.events", "oom_kill");
}

void remove_cgroup(const std::string& path) {
  if (path.empty()) return;
  for (const auto& child : cgroup_children(path)) remove_cgroup(path + "/" + child);
  ::rmdir(path.c_str());
}

std::vector<std::string> cgroup_children(const std::string& path) {
  std::vector<std::string> out;
  std::error_code code;
  for (fs::directory_iterator it{path, code}, end; !code && it != end; it.increment(code))
    if (it->is_directory(code)) out.push_back(it->path().filename().string());
  return out;
}

}  // namespace argosy::backends
