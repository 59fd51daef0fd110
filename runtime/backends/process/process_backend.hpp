// SPDX-License-Identifier: Apache-2.0
// Backend `process`: runs are processes on this machine, each under an argosy-shim that outlives
// the agent. The machine is one node. Every run has a folder RUNS/<job id>-<run number>/ with its
// files (see runtime/backends/run/records.hpp) and `work`, its working directory. The backend has
// one thread, which sleeps until a run starts, ends or has to be stopped.
#pragma once

#include <chrono>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "runtime/backends/backend.hpp"
#include "runtime/backends/process/pod_source.hpp"
#include "runtime/backends/process/run_users.hpp"
#include "runtime/backends/rules/process_limits.hpp"

namespace argosy::backends {

struct process_config {
  /// The folder RUNS, created if it is not there. It belongs to this backend alone.
  std::filesystem::path runs_dir;
  std::filesystem::path shim;  ///< The program argosy-shim.
  std::string node_name;       ///< Empty: the machine's name.
  /// The setting that gives the node another name; with it trouble() tells of one that keeps its
  /// name, see kept_name_note().
  std::string node_name_setting;
  /// Replaces the machine's own amounts, resource by resource.
  model::resource_list capacity;
  model::label_list labels;
  /// The taints of the node besides model::process_backend_taint.
  std::vector<model::taint> taints;
  process_limits limits;
  bool use_cgroups = true;  ///< If false, runs are neither contained nor limited.
  /// How long after its grace period a run is killed together with its shim.
  std::chrono::milliseconds shim_patience{10'000};
  /// Only an agent that is root can give users of a range. The agent's own user and
  /// group are filled in by the backend.
  user_rules users;
  /// Folders and files, besides runs_dir, that runs must not see where the kernel can hide them.
  /// Empty paths are passed over.
  std::vector<std::filesystem::path> hidden;
  /// How long after one look at what the runs store the next one begins, at the least.
  std::chrono::milliseconds storage_period{2000};
  /// Makes pods with images ready; null: there are none, and `no_pods` says why.
  std::shared_ptr<pod_source> pods{};
  std::string no_pods{};
  /// Hears, while the backend is made, each protection that the runs of this machine lack, as a
  /// sentence for the operator; empty: nobody wants to know.
  std::function<void(const std::string& lack)> on_missing_protection;
};

/// Makes the backend. Fails with ec::not_found if the shim is not there, ec::denied or
/// ec::out_of_space; the message names the path.
[[nodiscard]] result<std::unique_ptr<backend>> make_process_backend(process_config config,
                                                                    event_sink sink);

}  // namespace argosy::backends
