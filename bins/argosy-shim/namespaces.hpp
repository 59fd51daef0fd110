// SPDX-License-Identifier: Apache-2.0
// The namespaces in which a run lives: one for process ids, whose end the kernel makes the end of
// all its processes, and one for mounts, with a /proc that shows the run alone.
#pragma once

#include <sys/types.h>

#include <cstdint>
#include <string>
#include <vector>

#include "runtime/base/result.hpp"

namespace argosy::shim {

enum class isolation : std::uint8_t {
  none,      ///< The kernel allows neither of the others.
  pid,       ///< Namespaces for process ids and mounts.
  user_pid,  ///< The same, within a user namespace, since this process is not root.
};

struct split_process {
  pid_t pid = -1;  ///< 0 in the new process, as with fork().
  isolation kind = isolation::none;
  int refusal = 0;  ///< Why it is not isolated, as an errno.
};

/// Forks with the first of pid, user_pid and none that the kernel allows; only root tries pid. The
/// new process of a user namespace must wait until the caller has called map_ids().
[[nodiscard]] split_process split();

/// Gives a user namespace the ids of this process, or all ids if it may.
[[nodiscard]] result<void> map_ids(pid_t process);

/// Keeps mounts of this process from the rest of the machine. Call it first of the functions below.
[[nodiscard]] bool detach_mounts();
/// Mounts a /proc of this process id namespace.
[[nodiscard]] bool mount_proc();
/// Covers each of the folders and files with something empty, but leaves `kept`, a folder, where it
/// is. Paths that do not exist are passed over.
[[nodiscard]] bool hide(const std::vector<std::string>& paths, const std::string& kept);

/// Tries everything and says what runs on this machine will lack, in sentences for the operator.
[[nodiscard]] std::vector<std::string> missing_isolation();

}  // namespace argosy::shim
