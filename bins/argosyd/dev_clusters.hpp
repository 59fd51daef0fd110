// SPDX-License-Identifier: Apache-2.0
// The clusters that `argosyd --dev` brings along: their executors are actors of this process.
#pragma once

#include <caf/actor_system.hpp>
#include <chrono>
#include <cstddef>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "actors/agent/executor.hpp"
#include "actors/interfaces/root.hpp"
#include "bins/argosyd/options.hpp"
#include "runtime/store/data_dir.hpp"

namespace argosy::argosyd {

class dev_clusters {
 public:
  /// Starts the clusters `local`, or `sim-1` and so on, as asked, each with a CLUSTER and an
  /// EXECUTOR in `system` and its figures on the board. Jobs do not see the data directory and the
  /// file of the owner's credentials. `failed` is called, on any thread, when an EXECUTOR cannot go
  /// on.
  result<void> start(const options& chosen, const store::data_dir& dir, caf::actor_system& system,
                     const actors::root_actor& root, const std::shared_ptr<metrics::board>& probes,
                     const std::filesystem::path& credentials,
                     std::function<void(const std::string&)> failed);

  /// Ends the executors, and all runs first if `end_jobs`; waits for that, up to the limit.
  /// Otherwise processes go on. Returns how many do.
  std::size_t stop(caf::actor_system& system, std::chrono::milliseconds limit, bool end_jobs);

 private:
  result<void> add(const std::string& name, const std::string& backend,
                   actors::executor_actor_config config, const store::data_dir& dir,
                   caf::actor_system& system, const actors::root_actor& root);

  /// How many runs on this machine have not ended.
  [[nodiscard]] std::size_t count_processes(caf::actor_system& system) const;

  std::vector<actors::local_executor_actor> executors_;
  /// The EXECUTOR whose runs are processes of this machine.
  actors::local_executor_actor processes_;
  std::vector<actors::executor_store_actor> stores_;
};

/// The last message of a --dev server whose jobs go on, for the person at the terminal.
void tell_of_jobs(std::size_t count, boot_time lease);

}  // namespace argosy::argosyd
