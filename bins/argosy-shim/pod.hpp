// SPDX-License-Identifier: Apache-2.0
// The command of a run that is a pod: it makes the sandbox that its containers share, starts each
// with crun and notes how it ended. It lives below the run's init, so that the kernel ends all
// containers with the shim, at the time by which the run has to be dead, or with this process.
#pragma once

#include <filesystem>

namespace argosy::shim {

/// Returns the exit code of the first container that failed, or 0. How each ended stands in the
/// file `ends` of the run's folder.
[[nodiscard]] int run_pod(const std::filesystem::path& folder);

}  // namespace argosy::shim
