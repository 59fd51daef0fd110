// SPDX-License-Identifier: Apache-2.0
// Between vfork and exec the child of the init becomes the command. It shares the memory of the
// init, so that it changes nothing there.
#pragma once

#include <sys/types.h>

#include <filesystem>
#include <string>
#include <vector>

#include "runtime/backends/run/file.hpp"
#include "runtime/backends/run/records.hpp"

namespace argosy::shim {

/// The step at which a child failed. After a failure up to `hide` the command runs all the same.
enum class step : int {
  contain,
  limit_memory,
  limit_cpu,
  limit_pids,
  proc,
  hide,
  place,
  directory,
  identity,
  prepare,
  execute
};

struct step_failure {
  step at = step::prepare;
  int number = 0;
};

/// Everything that the child needs; it is made before the fork.
struct launch_data {
  std::vector<char*> argv;
  std::vector<char*> env;
  std::vector<std::string> env_text;
  std::vector<std::string> paths;
  std::string place;      ///< The run's own folder, in which it works.
  std::string directory;  ///< Where the command begins.
  backends::unique_fd cgroup_procs;
  /// The files cgroup.procs of groups of version 1, which only limit.
  backends::unique_fd memory_procs, cpu_procs, pids_procs;
  backends::unique_fd null_input;
  backends::unique_fd stdout_read, stdout_write;
  backends::unique_fd stderr_read, stderr_write;
  backends::unique_fd error_read, error_write;
  backends::unique_fd shim_end, init_end;  ///< The socket between shim and init.
  const backends::shim_plan* plan = nullptr;
  std::filesystem::path folder;
};

/// Tells the shim at which step this process failed, with an errno.
void report(const launch_data& data, step at, int number);
/// Reports errno and ends this process.
[[noreturn]] void give_up(const launch_data& data, step at);

/// Becomes the command. `parent` is the process id of the init.
[[noreturn]] void run_child(const launch_data& data, pid_t parent);

}  // namespace argosy::shim
