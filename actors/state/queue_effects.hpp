// SPDX-License-Identifier: Apache-2.0
// A QUEUE carries out what its queue_core decided, once that is durable, through queue_effects:
// stops and ends of runs go to the CLUSTERs, changes of gangs to the GANGs. The QUEUE owns it and
// uses it on its thread.
#pragma once

#include <caf/typed_event_based_actor.hpp>
#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "actors/interfaces/state/gang.hpp"
#include "actors/interfaces/state/queue.hpp"
#include "runtime/metrics/board.hpp"

namespace argosy::actors {

class queue_effects {
 public:
  queue_effects(queue_actor::base* self, model::queue_name queue,
                std::shared_ptr<metrics::board> probes)
      : self_(self), queue_(std::move(queue)), probes_(std::move(probes)) {}

  void carry_out(const ledger::queue_effect& effect);

  /// Orders for this cluster go to this CLUSTER from now on.
  void set_cluster(const model::cluster_name& cluster, const cluster_actor& handle);
  /// The CLUSTER ends. There may be another one for its cluster by now, which stays.
  void drop_cluster(const model::cluster_name& cluster, const cluster_actor& handle);
  /// Spawns the GANG with the members that recovery found.
  void restore_gang(const std::shared_ptr<const model::gang_info>& info,
                    std::vector<ledger::gang_member> members) {
    gang_of(info, std::move(members));
  }

 private:
  void act(const ledger::stop_order& stop);
  void act(const ledger::run_over& over);
  void act(const ledger::gang_changed& changed);
  gang_actor& gang_of(const std::shared_ptr<const model::gang_info>& info,
                      std::vector<ledger::gang_member> members);

  queue_actor::base* self_;
  model::queue_name queue_;
  std::shared_ptr<metrics::board> probes_;  ///< The GANGs get it.
  std::map<model::cluster_name, cluster_actor> clusters_;
  std::map<std::string, gang_actor> gangs_;
};

}  // namespace argosy::actors
