// SPDX-License-Identifier: Apache-2.0
// The containers of a pod share namespaces, among them a mount namespace in which their file
// systems are put together. All functions are called by the pod's process, which has one thread.
#pragma once

#include <filesystem>
#include <string>

#include "runtime/backends/run/file.hpp"
#include "runtime/backends/run/records.hpp"
#include "runtime/base/result.hpp"

namespace argosy::shim {

/// Enters the namespaces of the pod; a process that is not root gets a user namespace, in which it
/// is. Fails with a sentence that names what the kernel refuses.
[[nodiscard]] result<void> enter_sandbox(const backends::pod_plan& pod);

/// The program as nobody can write to it, by whatever name. crun begins a second time, from a copy
/// like this, where it is not; and as each container could reach it by its process, it needs it.
/// Empty where the kernel does not give it.
[[nodiscard]] backends::unique_fd read_only(const std::string& program);

/// Makes the folder for crun, in memory unless the plan keeps it.
[[nodiscard]] result<void> make_crun_folder(const backends::pod_plan& pod,
                                            const std::filesystem::path& folder);

/// Puts the file system of a container together at `root` in its folder: the image below, which
/// stays as it is, and a part of the run's work above it. Neither devices nor set-user-id programs
/// of it work.
[[nodiscard]] result<void> mount_root(const backends::container_plan& container,
                                      const std::filesystem::path& folder,
                                      const std::filesystem::path& work, std::size_t number);

/// Shows a file or folder of the machine at `place`. Fails if its name leads over a link by now,
/// and holds on to what was found, so that nobody puts another one into its place.
[[nodiscard]] result<void> show_path(const std::string& path, const std::filesystem::path& place);

/// Shows a part of a volume at `place`, a folder that is made if it is not there. Fails if its name
/// leads over a link, which other containers may have put there.
[[nodiscard]] result<void> show_part(const std::filesystem::path& volume, const std::string& part,
                                     const std::filesystem::path& place);

/// Makes the folder of a volume.
[[nodiscard]] result<void> make_volume(const backends::volume_plan& volume,
                                       const std::filesystem::path& folder);

}  // namespace argosy::shim
