// SPDX-License-Identifier: Apache-2.0
// What a backend keeps on disk across restarts of its agent: the lease, and a mark for each run
// whose pod it may have had created. It is used by one thread.
#pragma once

#include <filesystem>
#include <optional>
#include <set>

#include "runtime/base/result.hpp"
#include "runtime/model/job.hpp"
#include "runtime/model/lease.hpp"

namespace argosy::backends {

class run_marks {
 public:
  /// Opens the folder, which is created if it is not there. An empty path keeps nothing.
  [[nodiscard]] static result<run_marks> open(const std::filesystem::path& folder);

  /// Has to be called before a request to create the pod is sent.
  [[nodiscard]] result<void> set(const model::run_key& run);
  void erase(const model::run_key& run);
  /// Whether a pod of the run was certainly never asked for. Marks are not on disk at once, so that
  /// nothing is certain after the machine has started anew.
  [[nodiscard]] bool never_started(const model::run_key& run) const;

  void keep(const model::run_lease& lease);
  /// The lease that was kept last, in the boot time of now; nothing if there is none. After a boot
  /// of the machine it is reckoned by the wall clock.
  [[nodiscard]] std::optional<model::run_lease> lease(boot_time now, std::int64_t wall_ns) const;

 private:
  std::filesystem::path folder_;
  bool same_boot_ = false;
  std::set<model::run_key> set_;
};

}  // namespace argosy::backends
