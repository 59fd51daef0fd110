// SPDX-License-Identifier: Apache-2.0
// One run's folder as the agent handles it: made before the shim starts, read after it ended, and
// judged when an agent finds it at its start.
#pragma once

#include <sys/types.h>

#include <filesystem>
#include <optional>
#include <string>
#include <string_view>

#include "runtime/backends/backend.hpp"
#include "runtime/backends/run/file.hpp"
#include "runtime/backends/run/records.hpp"

namespace argosy::backends {

/// Reads the run from a folder name "<job id>-<run number>".
[[nodiscard]] std::optional<model::run_key> parse_run_folder(std::string_view name);

/// A process and the descriptor that becomes readable when it ends.
struct shim_process {
  pid_t pid = -1;
  unique_fd pidfd;
};

/// Makes the folder with its plan, and takes the lock for the shim. Fails with ec::already_exists
/// if the run was started before.
[[nodiscard]] result<unique_fd> make_run_folder(const std::filesystem::path& folder,
                                                const shim_plan& plan);

/// Starts the shim, handing the lock over. The caller reaps it.
[[nodiscard]] result<shim_process> spawn_shim(const std::filesystem::path& shim,
                                              const std::filesystem::path& folder, unique_fd lock);

/// Whether a shim lives in the folder. Fails where that cannot be found out, for example because
/// too many files are open.
[[nodiscard]] result<bool> shim_alive(const std::filesystem::path& folder);

/// The process of a living shim, which may just be starting. Fails with ec::not_found if it has
/// ended meanwhile, with ec::timeout if it does not write its id within five seconds, and with
/// another error where that cannot be found out.
[[nodiscard]] result<shim_process> find_shim(const std::filesystem::path& folder);

/// Whether a shim got as far as executing the command, or may have.
[[nodiscard]] bool may_have_executed(const std::filesystem::path& folder);

/// Kills the processes that a dead shim left: those in the run's cgroup and those that carry the
/// run's mark.
void kill_remains(const std::filesystem::path& folder);

/// Whether kill_remains() still has processes to kill.
[[nodiscard]] bool remains_alive(const std::filesystem::path& folder);

/// Returns the final event that follows from a status. `container` is the name of the run's
/// container.
[[nodiscard]] run_event final_event(const model::run_key& run, const std::string& container,
                                    const shim_status& status);

/// A final event that follows from what the agent itself found out.
[[nodiscard]] run_event made_event(const model::run_key& run, model::run_phase phase,
                                   const char* why, std::string message);

}  // namespace argosy::backends
