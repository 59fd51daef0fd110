// SPDX-License-Identifier: Apache-2.0
// The part of a pod specification that running it as one process needs. Decoded from the stored
// job specification by messages/codec; read by the backends.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "runtime/model/job.hpp"
#include "runtime/model/node.hpp"

namespace argosy::model {

/// What a backend needs to know of a job to run it.
enum class plan_contents : std::uint8_t {
  whole,
  containers,   ///< The same, or the containers of a pod that has images.
  annotations,  ///< Only the annotations, which say how a simulated run behaves.
  pod,          ///< Nothing of the plan, but the manifest of a pod.
};

/// User ids, both ends included.
struct id_range {
  std::uint32_t first = 0;
  std::uint32_t last = 0;

  friend bool operator==(const id_range&, const id_range&) = default;
};

/// Reads "2000000-2065535". Nothing for any other text, for a range with 0, and for one with
/// 4294967295, which the kernel takes for "no change".
[[nodiscard]] std::optional<id_range> parse_id_range(std::string_view text);

/// The name that stands for "no image" where a pod has to name one.
inline constexpr std::string_view no_image = "none";

/// The backend whose runs may have images, and the value that model::process_backend_taint has on
/// its nodes. They take what processes can do, and jobs that tolerate this value, which the gateway
/// adds to those that containers can carry out and processes cannot.
inline constexpr const char* container_backend = "container";
inline constexpr const char* with_containers = "containers";

/// Whether a toleration is the one that the gateway adds.
[[nodiscard]] inline bool is_of_containers(std::string_view key, bool exists,
                                           std::string_view value) {
  return key == process_backend_taint && !exists && value == with_containers;
}

enum class pull_policy : std::uint8_t {
  if_missing,
  always,
  never,
  by_name,  ///< Nothing is said: an image that may change is asked for every time.
};

/// A volume as one container has it.
struct volume_mount {
  std::string volume;
  std::string path;      ///< Where it is in the container.
  std::string sub_path;  ///< The folder of the volume that is meant; empty: all of it.
  bool read_only = false;

  friend bool operator==(const volume_mount&, const volume_mount&) = default;
};

/// A folder that the containers of a pod may share.
struct pod_volume {
  std::string name;
  std::string host_path;      ///< Empty: a folder of the run, which goes with it.
  bool in_memory = false;     ///< With `medium: Memory`.
  std::int64_t size_max = 0;  ///< 0: no limit of its own.

  friend bool operator==(const pod_volume&, const pod_volume&) = default;
};

struct pod_container {
  std::string name;
  std::string place;  ///< "podSpec.containers[0]", for messages.
  bool init = false;  ///< It ends before the next one begins.
  std::string image;
  pull_policy pull = pull_policy::by_name;
  /// Both empty: what the image says. Args alone go behind the image's entry point.
  std::vector<std::string> command;
  std::vector<std::string> args;
  label_list env;
  std::string working_dir;  ///< Empty: that of the image.
  std::optional<std::uint32_t> user;
  std::optional<std::uint32_t> group;
  bool non_root = false;
  bool read_only_root = false;
  resource_list limits;
  std::vector<volume_mount> mounts;

  friend bool operator==(const pod_container&, const pod_container&) = default;
};

struct process_plan {
  std::vector<std::string> argv;  ///< Command and args, references to variables expanded.
  label_list env;                 ///< The whole environment; names are unique.
  std::string container;          ///< The name of the container whose command it is.
  std::string working_dir;        ///< Empty: the run's folder.
  label_list annotations;
  std::optional<std::uint32_t> user;  ///< The user id to run as; nothing: the agent's own.
  std::optional<std::uint32_t> group;
  bool non_root = false;  ///< Must not run as user 0.
  /// The field that the backend cannot carry out ("podSpec.volumes"), or empty.
  std::string obstacle;
  /// The containers of a pod with images, init containers first, each in the pod's order. Empty:
  /// the command above is all.
  std::vector<pod_container> containers{};
  std::vector<pod_volume> volumes{};
  std::vector<std::string> pull_secrets{};
  std::string hostname{};  ///< Empty: the pod has no wish.
  /// Fields that have no effect in such a pod, for the user to read.
  std::vector<std::string> ignored{};

  friend bool operator==(const process_plan&, const process_plan&) = default;
};

}  // namespace argosy::model
