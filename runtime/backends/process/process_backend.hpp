// SPDX-License-Identifier: Apache-2.0
// Backend `process`: runs are processes on this machine, each under an argosy-shim that outlives
// the agent. One node. Every run has a folder RUNS/<job id>-<run number>/ with its files (see
// runtime/backends/run/records.hpp) and `work`, its working directory. One thread of its own, which
// sleeps until a run starts, ends or is told to.
#pragma once

#include <chrono>
#include <cstdint>
#include <filesystem>
#include <memory>
#include <string>

#include "runtime/backends/backend.hpp"

namespace argosy::backends {

struct process_config {
  std::filesystem::path runs_dir;  ///< Created if need be; of this backend alone.
  std::filesystem::path shim;      ///< The program argosy-shim.
  std::string node_name;           ///< Empty: the machine's name.
  /// Replaces the machine's own amounts, resource by resource.
  model::resource_list capacity;
  model::label_list labels;
  std::vector<model::taint> taints;    ///< Besides model::process_backend_taint.
  std::int64_t output_max = 64 << 20;  ///< Bytes of output kept per run.
  bool use_cgroups = true;             ///< Without: runs are neither contained nor limited.
  /// How long after its grace period a run is killed together with its shim.
  std::chrono::milliseconds shim_patience{10'000};
  std::size_t keep_runs_max = 1000;         ///< Folders of ended runs that are kept.
  std::int64_t keep_bytes_max = 4LL << 30;  ///< The output in them, in all.
};

/// ec::not_found (no shim there), ec::denied, ec::out_of_space; the sentence names the path.
[[nodiscard]] result<std::unique_ptr<backend>> make_process_backend(process_config config,
                                                                    event_sink sink);

}  // namespace argosy::backends
