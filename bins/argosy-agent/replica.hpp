// SPDX-License-Identifier: Apache-2.0
// This file declares an agent as one of several replicas with one Lease object: the one that holds
// it acts, and the others wait. An agent without replicas acts at once.
#pragma once

#include <filesystem>
#include <memory>
#include <string>

#include "bins/argosy-agent/convert.hpp"
#include "bins/argosy-agent/ground.hpp"
#include "runtime/kube/lease/election.hpp"

namespace argosy::agent {

class replica {
 public:
  /// Begins to ask for the lease if the settings want that. If it is lost afterwards, the process
  /// ends at once with lease_lost_code, since another replica may act from then on; `ready_file` is
  /// removed then. ec::invalid_argument says what is wrong with the settings.
  [[nodiscard]] static result<replica> join(const settings::agent_settings& settings,
                                            const std::filesystem::path& data_dir,
                                            const std::filesystem::path& ready_file);

  /// Waits until this replica may act, and is ready meanwhile for whoever probes it. Returns false
  /// if the process is to stop instead.
  [[nodiscard]] result<bool> wait(const settings::agent_settings& settings, const ground& seams);

  /// Whether there may be others.
  [[nodiscard]] bool is_one() const noexcept { return election_ != nullptr; }
  /// The name of the term in which this replica acts. A store that was written under another name
  /// may be out of date, since another replica may have acted meanwhile. It is empty without
  /// replicas.
  [[nodiscard]] std::string term() const;
  [[nodiscard]] act_limit limit() const;
  /// Has the next replica act at once. Nothing may be done any more.
  void release();

  /// Removes what is kept of runs on disk: another replica has acted since.
  static result<void> forget_runs(const std::filesystem::path& runs);
  /// Likewise in the store: an agent that does not ask for the lease has acted since.
  static result<void> drop_all(const ground& seams);

 private:
  std::unique_ptr<kube::election> election_;
};

}  // namespace argosy::agent
