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
  /// Starts `local`, or `sim-1`.. as asked, each with a CLUSTER and an EXECUTOR in `system`.
  /// `failed` hears of an executor that cannot go on; any thread.
  result<void> start(const options& chosen, const store::data_dir& dir, caf::actor_system& system,
                     const actors::root_actor& root,
                     std::function<void(const std::string&)> failed);

  /// Ends the executors, and all runs first if `end_jobs`; waits for that, up to the limit.
  /// Otherwise processes go on; how many do.
  std::size_t stop(caf::actor_system& system, std::chrono::milliseconds limit, bool end_jobs);

 private:
  result<void> add(const std::string& name, const std::string& backend,
                   actors::executor_actor_config config, const store::data_dir& dir,
                   caf::actor_system& system, const actors::root_actor& root);

  /// How many runs of this machine have not ended.
  [[nodiscard]] std::size_t count_processes(caf::actor_system& system) const;

  std::vector<actors::local_executor_actor> executors_;
  actors::local_executor_actor processes_;  ///< The one of them whose runs are processes here.
  std::vector<actors::executor_store_actor> stores_;
};

}  // namespace argosy::argosyd
