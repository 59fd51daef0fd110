// SPDX-License-Identifier: Apache-2.0
#include "runtime/backends/process/protection.hpp"

#include <grp.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <filesystem>

#include "runtime/backends/process/storage_watch.hpp"

namespace argosy::backends {

namespace fs = std::filesystem;

namespace {

/// Tries in a process of its own whether this one may become a user of the range. Root may not
/// without its capabilities, or where its user namespace does not have these ids.
bool may_become(const model::id_range& range) {
  const pid_t child = ::fork();
  if (child == 0) {
    const auto id = range.first;
    const bool done = ::setgroups(0, nullptr) == 0 && ::setresgid(id, id, id) == 0 &&
                      ::setresuid(id, id, id) == 0;
    ::_exit(done ? 0 : 1);
  }
  int status = 0;
  return child > 0 && ::waitpid(child, &status, 0) == child && WIFEXITED(status) &&
         WEXITSTATUS(status) == 0;
}

}  // namespace

user_rules rules_of(const process_config& config) {
  auto out = config.users;
  out.agent_user = ::geteuid();
  out.agent_group = ::getegid();
  if (out.agent_user != 0 || (out.own && !may_become(*out.own))) out.own.reset();
  return out;
}

std::vector<std::string> hidden_paths(const process_config& config) {
  std::vector<std::string> out;
  std::error_code code;
  for (const auto& path : config.hidden)
    if (!path.empty()) out.push_back(fs::weakly_canonical(path, code).string());
  const auto runs = config.runs_dir.string();
  const bool within = std::any_of(out.begin(), out.end(), [&](const std::string& path) {
    return runs == path || runs.starts_with(path + "/");
  });
  if (!within) out.push_back(runs);
  return out;
}

std::string lack_of_room(const process_config& config) {
  const auto disk = room_of(config.runs_dir, config.limits.disk_reserve);
  if (!lacks_room(disk)) return {};
  const auto where = "the file system of '" + config.runs_dir.string() + "' has ";
  if (disk.free.bytes < disk.reserve.bytes)
    return where + std::to_string(disk.free.bytes) +
           " bytes free, less than process.diskReserve keeps for the agent";
  return where + "room for only " + std::to_string(disk.free.files) + " more files";
}

std::vector<std::string> missing_protection(const process_config& config, const user_rules& found) {
  std::vector<std::string> out;
  if (FILE* answer = ::popen(("'" + config.shim.string() + "' --missing").c_str(), "re")) {
    char line[512];
    while (std::fgets(line, sizeof line, answer) != nullptr) {
      out.emplace_back(line);
      if (out.back().ends_with('\n')) out.back().pop_back();
    }
    ::pclose(answer);
  }
  if (found.agent_user != 0)
    out.emplace_back(
        "runs share the user of the agent, which is not root: what this user may read "
        "or change outside of the agent's own folders, a run may as well");
  else if (!config.users.own)
    out.emplace_back("runs are executed as root, since 'process.uidRange' is empty");
  else if (!found.own)
    out.emplace_back(
        "runs are executed as root, since this agent may not become a user of 'process.uidRange': "
        "it lacks CAP_SETUID or CAP_SETGID, or its user namespace does not have these ids");
  return out;
}

}  // namespace argosy::backends
