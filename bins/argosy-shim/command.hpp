// SPDX-License-Identifier: Apache-2.0
// Starts the command of a run under an init of its own, in a new session, with the run's
// environment and nothing else from this process, and with a pipe for each of its two outputs.
#pragma once

#include <sys/types.h>

#include <filesystem>
#include <string>
#include <vector>

#include "bins/argosy-shim/init.hpp"
#include "runtime/backends/run/file.hpp"
#include "runtime/backends/run/records.hpp"

namespace argosy::shim {

struct running_command {
  pid_t init = -1;              ///< The process id of the run's init, which ends with the command.
  backends::unique_fd control;  ///< The shim's end of the socket to the init.
  backends::unique_fd out;      ///< The read end of the pipe of stdout; it does not block.
  backends::unique_fd err;      ///< The read end of the pipe of stderr; it does not block.
  std::vector<std::string> notes;  ///< What could not be arranged, in words for the user.
};

/// Why a command did not start, with the exit code of shells: 127 if the file does not exist, else
/// 126.
struct start_failure {
  int exit_code = 126;
  std::string message;
  bool of_machine = false;  ///< The machine is to blame and not the command.
};

/// Returns once the command is executed. After a failure nothing is left behind. The init ends the
/// run at `dead_by`, unless it is told another time; the greatest time means never.
[[nodiscard]] tl::expected<running_command, start_failure> start_command(
    const backends::shim_plan& plan, const std::filesystem::path& folder, boot_time dead_by);

/// Sends an order to the init of a run.
void tell_init(const backends::unique_fd& control, init_order::kind what, boot_time time = {});

/// The files to try for a command, in order: the command itself if it has a slash, else one file
/// for each folder of the PATH of its environment.
[[nodiscard]] std::vector<std::string> command_paths(
    const std::string& name, const std::vector<std::pair<std::string, std::string>>& env);

}  // namespace argosy::shim
