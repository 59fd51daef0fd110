// SPDX-License-Identifier: Apache-2.0
// Backend `container`: backend `process` that also runs the images of pods. skopeo pulls, umoci
// unpacks, and crun makes containers below the run's shim, which ends them as it ends processes.
// While the backend is made, it finds out whether the machine can do this. If not, it runs
// processes alone, and says so.
#pragma once

#include <chrono>
#include <filesystem>
#include <memory>

#include "runtime/backends/process/process_backend.hpp"
#include "runtime/backends/rules/container_rules.hpp"

namespace argosy::backends {

struct container_config {
  container_rules rules;
  std::filesystem::path images;  ///< The folder of the images, created if it is not there.
  /// Where this machine cannot run images, they are not looked at, as backend `process` does, and
  /// pods that have a command run as that. Otherwise pods with images are refused.
  bool or_processes = false;
  /// How long crun may take to start a container.
  std::chrono::nanoseconds crun_max{std::chrono::minutes{2}};
};

/// Whether the programs that containers need are installed.
[[nodiscard]] bool has_container_programs();

/// Fails as make_process_backend() does.
[[nodiscard]] result<std::unique_ptr<backend>> make_container_backend(process_config processes,
                                                                      container_config containers,
                                                                      event_sink sink);

}  // namespace argosy::backends
