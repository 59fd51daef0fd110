// SPDX-License-Identifier: Apache-2.0
// This file declares how programs are started that must not outlive this process.
#pragma once

#include <sys/types.h>

#include <chrono>
#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

#include "runtime/base/result.hpp"

namespace argosy::bus {

/// Runs a program in a process group of its own, so that a terminal's interrupt does not reach it,
/// with both outputs in a file. The system sends it SIGTERM when this process ends in whatever way.
/// That signal follows the thread that spawned, so one thread that lives as long as the process
/// does all of it. The caller must reap the child. Fails with ec::not_found, ec::denied or
/// ec::internal.
[[nodiscard]] result<pid_t> spawn_for_life(const std::vector<std::string>& argv,
                                           const std::filesystem::path& output);

/// Looks for a program along PATH and in the folders of system programs, which an ordinary user's
/// PATH lacks. The message of ec::not_found names the program.
[[nodiscard]] result<std::filesystem::path> find_program(const std::string& name);

/// Whether the process exists and is not a zombie.
[[nodiscard]] bool is_running(pid_t pid);

/// The arguments with which the process was started, without those of a loader; empty if it does
/// not exist.
[[nodiscard]] std::vector<std::string> arguments_of(pid_t pid);

/// Waits for a process, which need not be a child, and returns whether it has gone in time.
bool wait_until_gone(pid_t pid, std::chrono::milliseconds limit);

}  // namespace argosy::bus
