// SPDX-License-Identifier: Apache-2.0
// The files of a run's folder as values. The agent writes `plan`, `stop` and, once for all runs,
// the lease file; the shim writes `started`, `status` and `output`.
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "runtime/base/result.hpp"
#include "runtime/model/agent_run.hpp"
#include "runtime/model/lease.hpp"

namespace argosy::backends {

namespace run_file {
inline constexpr const char* plan = "plan";
/// The file that is locked while a shim lives, see shim_alive().
inline constexpr const char* lock = "lock";
/// The file that says that the command was executed.
inline constexpr const char* started = "started";
inline constexpr const char* stop = "stop";  ///< The file that the shim reads when it gets SIGTERM.
inline constexpr const char* status = "status";  ///< The file that says how the run ended.
inline constexpr const char* output = "output";  ///< stdout and stderr of the run.
inline constexpr const char* turns = "turns";    ///< Which of its bytes are of stderr.
/// How the containers of a pod ended, which the pod's own process tells its shim.
inline constexpr const char* ends = "ends";
}  // namespace run_file

/// The folder in a run's folder that belongs to the run.
inline constexpr const char* work_folder = "work";

/// The descriptor at which a shim inherits its run's locked `lock` file.
inline constexpr int shim_lock_fd = 3;

/// The variable in the environment of every run that holds "<job id>-<run number>".
inline constexpr const char* run_variable = "ARGOSY_RUN";

/// The variable that holds the run's folder: the mark by which an agent finds the processes of its
/// own runs, and of no other agent's.
inline constexpr const char* folder_variable = "ARGOSY_RUN_DIR";

/// The line that a shim writes into the `lock` file behind its process id just before it executes
/// the command. Without it the command certainly never ran.
inline constexpr const char* shim_executes = "executes\n";

/// The folder in a run's folder that has the output of each container but the pod's first one.
inline constexpr const char* outputs_folder = "out";

/// The folder in a run's folder that its pod has in memory, for what crun reads and writes and for
/// mount points: a disk takes long for many small files that nobody needs afterwards.
inline constexpr const char* crun_folder = "crun";

/// The argument with which argosy-shim is a run's command, and starts the containers of the pod.
inline constexpr const char* pod_word = "--pod";

/// The argument with which argosy-shim ends with 0 if a seccomp filter holds for it.
inline constexpr const char* filter_word = "--filtered";

/// A container of a pod. What it writes is in the folder `cN` below the run's work, `wN` there is
/// the kernel's, and its root is mounted at `cN/root` in crun's folder.
struct container_plan {
  std::string name;
  bool init = false;   ///< It ends before the next one begins.
  std::string image;   ///< The folder with the image's files, which is not changed.
  std::string config;  ///< The configuration that crun reads.
  std::int64_t cpu_millis = 0;
  std::int64_t memory_bytes = 0;

  friend bool operator==(const container_plan&, const container_plan&) = default;
};

/// A folder that containers of a pod share, `vN` below the run's work.
struct volume_plan {
  bool in_memory = false;
  std::int64_t size_max = 0;  ///< In memory: how large it may become; 0: half of the memory.

  friend bool operator==(const volume_plan&, const volume_plan&) = default;
};

/// A part of a volume that a container is shown alone, at `sN` in its folder below crun's.
struct volume_part {
  std::int64_t container = 0;
  std::int64_t volume = 0;
  std::string path;  ///< Below the volume.

  friend bool operator==(const volume_part&, const volume_part&) = default;
};

struct pod_plan {
  std::string crun;              ///< The program.
  std::int64_t crun_max_ns = 0;  ///< How long it may take to start a container; 0: not limited.
  std::string hostname;          ///< Empty: that of the machine.
  bool own_network = false;
  bool keeps_crun = false;                 ///< Crun's folder is on disk, and is left there.
  std::vector<container_plan> containers;  ///< Init containers first.
  std::vector<volume_plan> volumes;
  std::vector<std::string> devices;  ///< "nvidia.com/gpu=0", which no other run has meanwhile.
  std::vector<std::string> notes;    ///< What the user is to read when it begins.
  /// Files and folders of the machine without links in their names, each shown as `hN` below the
  /// run's work.
  std::vector<std::string> host_paths;
  std::vector<volume_part> parts;

  friend bool operator==(const pod_plan&, const pod_plan&) = default;
};

/// Whether the container is the pod's first, whose output is the run's.
[[nodiscard]] bool is_first(const pod_plan& pod, std::size_t container);

/// What argosy-shim is to run. Times are durations in nanoseconds.
struct shim_plan {
  std::string run;        ///< "<job id>-<run number>", for messages.
  std::string container;  ///< The name of its container; empty: it has none.
  std::vector<std::string> argv;
  std::vector<std::pair<std::string, std::string>> env;
  std::string working_dir;  ///< Empty: the run's folder; relative: below it.
  std::string cgroup;       ///< The folder to make; empty: none.
  /// Groups of version 1 to make, where version 2 lacks these controllers; empty: none.
  std::string memory_group{};
  std::string cpu_group{};
  std::string pids_group{};
  std::int64_t cpu_millis = 0;    ///< 0: not limited.
  std::int64_t memory_bytes = 0;  ///< 0: not limited.
  std::int64_t pids_max = 0;      ///< How many processes; 0: not limited.
  std::string limits_note;        ///< Why the limits above cannot be set, for the user to read.
  std::string lease_file;
  bool keep_on_disconnect = false;  ///< The run needs the lease only to start.
  std::int64_t grace_ns = 1'000'000'000;
  std::int64_t deadline_ns = 0;  ///< The longest run time; 0: no limit.
  std::int64_t output_max = 64 << 20;
  /// How many bytes the run may store, which the agent watches; 0: not limited.
  std::int64_t storage_max = 0;
  std::optional<std::uint32_t> user;
  std::optional<std::uint32_t> group;
  /// Folders and files of the agent that the run's mount namespace covers, all but the run's work.
  std::vector<std::string> hidden;
  pod_plan pod{};  ///< Without containers: the command is a plain process.

  friend bool operator==(const shim_plan&, const shim_plan&) = default;
};

struct shim_started {
  std::int64_t shim_pid = 0;
  std::int64_t child_pid = 0;  ///< The process id of the run's init, the parent of the command.
  std::int64_t time_ns = 0;    ///< Unix time.
  std::vector<std::string> notes;

  friend bool operator==(const shim_started&, const shim_started&) = default;
};

/// How one container ended.
struct container_end {
  std::string name;
  std::int32_t exit_code = 0;
  std::int32_t signal = 0;
  std::string reason;  ///< One of those of shim_status.
  std::string message;

  friend bool operator==(const container_end&, const container_end&) = default;
};

/// The ends of a pod's containers, as far as they began.
struct pod_ends {
  std::vector<container_end> all;

  friend bool operator==(const pod_ends&, const pod_ends&) = default;
};

/// How a run ended, with all reasons that a shim gives.
struct shim_status {
  static constexpr const char* completed = "Completed";
  static constexpr const char* failed = "Error";
  static constexpr const char* deadline_exceeded = "DeadlineExceeded";
  static constexpr const char* lease_expired = "LeaseExpired";
  static constexpr const char* stopped = "Stopped";
  static constexpr const char* oom_killed = "OOMKilled";
  static constexpr const char* start_error = "StartError";
  /// A fault of the machine kept the command from being executed.
  static constexpr const char* machine_error = model::reason_backend_error;

  std::int32_t exit_code = 0;
  std::int32_t signal = 0;
  std::string reason;
  std::string message;
  std::int64_t started_ns = 0;  ///< 0: the command was never executed.
  std::int64_t finished_ns = 0;
  std::vector<std::string> notes;
  std::int64_t output_size = 0;  ///< How many bytes the command has written; 0: not known.
  std::vector<container_end> containers{};  ///< Those of a pod.

  friend bool operator==(const shim_status&, const shim_status&) = default;
};

struct stop_order {
  std::int64_t grace_ns = 0;
  std::string message;                        ///< Why the run ended, for the user to read.
  std::string reason = shim_status::stopped;  ///< The reason that the shim's status is to give.

  friend bool operator==(const stop_order&, const stop_order&) = default;
};

/// The lease of all runs of an agent. A record that was written before the machine's last boot is
/// void.
struct lease_record {
  std::string boot;
  model::run_lease lease;

  friend bool operator==(const lease_record&, const lease_record&) = default;
};

[[nodiscard]] result<std::string> encode(const shim_plan& value);
[[nodiscard]] result<std::string> encode(const shim_started& value);
[[nodiscard]] result<std::string> encode(const shim_status& value);
[[nodiscard]] result<std::string> encode(const pod_ends& value);
[[nodiscard]] result<std::string> encode(const stop_order& value);
[[nodiscard]] result<std::string> encode(const lease_record& value);

/// Reads a record. Fails with ec::not_found if the file does not exist, and with ec::corrupt if it
/// makes no sense.
template <class Record>
[[nodiscard]] result<Record> read_record(const std::filesystem::path& path);

template <>
result<shim_plan> read_record(const std::filesystem::path& path);
template <>
result<shim_started> read_record(const std::filesystem::path& path);
template <>
result<shim_status> read_record(const std::filesystem::path& path);
template <>
result<pod_ends> read_record(const std::filesystem::path& path);
template <>
result<stop_order> read_record(const std::filesystem::path& path);
template <>
result<lease_record> read_record(const std::filesystem::path& path);

/// The lease in the file if it was written since this boot; nothing otherwise.
[[nodiscard]] std::optional<model::run_lease> read_lease(const std::filesystem::path& path);

}  // namespace argosy::backends
