// SPDX-License-Identifier: Apache-2.0
// ROOT, one per process: spawn order, supervision, ordered shutdown, and the directory of QUEUEs
// and CLUSTERs, which come and go at run time.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "actors/interfaces/state/cluster.hpp"
#include "actors/interfaces/state/queue.hpp"

namespace argosy::actors {

using cluster_map = std::map<std::string, cluster_actor>;

using root_actor = caf::typed_actor<
    // ec::not_found when there is no such queue or cluster.
    caf::replies_to<atom::find, std::string>::with<queue_actor>,
    caf::replies_to<atom::find, atom::cluster, std::string>::with<cluster_actor>,
    // The same, spawned when it is not there yet.
    caf::replies_to<atom::ensure, std::string>::with<queue_actor>,
    caf::replies_to<atom::ensure, atom::cluster, std::string>::with<cluster_actor>,
    caf::replies_to<atom::list>::with<std::vector<queue_actor>>,
    // By name.
    caf::replies_to<atom::list, atom::cluster>::with<cluster_map>,
    // This process must not lead any more, for the reason given.
    caf::reacts_to<atom::stand_down, std::string>,
    // Stops everything in order.
    caf::reacts_to<atom::shutdown>,
    // The deadline of a stage of the shutdown.
    caf::reacts_to<atom::tick, std::uint64_t>>;

}  // namespace argosy::actors

CAF_ALLOW_UNSAFE_MESSAGE_TYPE(std::vector<argosy::actors::queue_actor>)
CAF_ALLOW_UNSAFE_MESSAGE_TYPE(argosy::actors::cluster_map)
