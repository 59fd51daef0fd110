// SPDX-License-Identifier: Apache-2.0
// The configuration of one container for crun, as JSON. Pure.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "runtime/backends/container/image_facts.hpp"
#include "runtime/base/result.hpp"
#include "runtime/model/process_plan.hpp"

namespace argosy::backends {

/// A folder or file of the machine as the container has it.
struct bound_path {
  std::string source;
  std::string target;
  bool read_only = false;
  bool device = false;
};

/// What a CDI file has a container get for one device.
struct device_edits {
  std::vector<std::string> env;
  std::vector<bound_path> mounts;
  std::vector<std::string> nodes;  ///< Device files.
};

/// Which system calls containers may make; both empty: all.
struct seccomp_filter {
  std::string profile;  ///< The distribution's, as JSON in the form that crun reads.
  /// What crun made of it, in base64, which saves each container most of its start; empty: it has
  /// to make it again.
  std::string program{};
};

struct oci_request {
  const model::pod_container* container = nullptr;
  const image_facts* image = nullptr;
  std::string root;                 ///< Where the container's file system is mounted.
  std::vector<bound_path> volumes;  ///< Its mounts, in the order in which they are made.
  device_edits devices;
  seccomp_filter seccomp;
  /// The pod is in a user namespace that has one id.
  bool one_id = false;
  bool own_network = false;
  model::label_list more_env;  ///< Variables that neither image nor pod may set.
};

/// What the container executes. Fails with ec::invalid_argument if neither pod nor image say it.
[[nodiscard]] result<std::vector<std::string>> command_of(const model::pod_container& container,
                                                          const image_facts& image);

/// Fails with ec::invalid_argument, beginning with the place in the pod, for what cannot be.
[[nodiscard]] result<std::string> make_oci_config(const oci_request& request);

/// The profile of the distribution, which has conditions, in the form that crun reads. Of its
/// conditions those hold that need no capability, and that are about this processor. Empty if it
/// makes no sense.
[[nodiscard]] std::string plain_seccomp(std::string_view json);

/// The names of the devices of this kind ("nvidia.com/gpu") that a CDI file has, without "all".
[[nodiscard]] std::vector<std::string> cdi_devices(std::string_view json, std::string_view kind);

/// Adds what the file says of the device, and of all of its devices. Returns false if the file does
/// not have it.
bool add_cdi_device(std::string_view json, std::string_view kind, std::string_view name,
                    device_edits& to);

}  // namespace argosy::backends
