// SPDX-License-Identifier: Apache-2.0
// ROOT, of which a process has one, spawns the other actors in order, watches them, ends them in
// order, and keeps the directory of QUEUEs and CLUSTERs, which come while the process runs.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "actors/interfaces/log/retention.hpp"
#include "actors/interfaces/state/cluster.hpp"
#include "actors/interfaces/state/queue.hpp"
#include "actors/interfaces/status.hpp"

namespace argosy::actors {

using cluster_map = std::map<model::cluster_name, cluster_actor>;

using root_actor = caf::typed_actor<
    // Answers the handle. ec::not_found when there is no such queue or cluster.
    caf::replies_to<atom::find, model::queue_name>::with<queue_actor>,
    caf::replies_to<atom::find, model::cluster_name>::with<cluster_actor>,
    // Answers the handle, and spawns the actor when it is not there yet.
    caf::replies_to<atom::ensure, model::queue_name>::with<queue_actor>,
    caf::replies_to<atom::ensure, model::cluster_name>::with<cluster_actor>,
    caf::replies_to<atom::list>::with<std::vector<queue_actor>>,
    // Answers all CLUSTERs by name.
    caf::replies_to<atom::list, atom::cluster>::with<cluster_map>,
    // The QUEUE or CLUSTER has nothing left to own and ends soon; its handle is given to nobody
    // after the answer.
    caf::replies_to<atom::goodbye, model::queue_name, queue_actor>::with<atom::ok>,
    caf::replies_to<atom::goodbye, model::cluster_name, cluster_actor>::with<atom::ok>,
    // These are the retry policies from now on. The answer comes when every QUEUE was sent them.
    caf::replies_to<atom::settings, ledger::retry_policies_ptr>::with<atom::ok>,
    // For so long ended jobs and clusters that left are kept from now on: RETENTION and the
    // CLUSTERs are told.
    caf::reacts_to<atom::settings, ledger::retention_config>,
    // The process got SIGHUP: SETTINGS is told to reload.
    caf::reacts_to<atom::settings>,
    // Says that this process must not lead any more, and why.
    caf::reacts_to<atom::stand_down, std::string>,
    // Says that an agent of this control plane has seen this epoch, which is above ours.
    caf::reacts_to<atom::verify, model::epoch>,
    // Says that this process has claimed again and leads with this epoch now.
    caf::reacts_to<atom::claim, model::epoch>,
    // Stops everything in order.
    caf::reacts_to<atom::shutdown>,
    // The deadline of a stage of the shutdown has passed; the number is the timer's generation.
    caf::reacts_to<atom::tick, model::timer_generation>, answers_status>;

}  // namespace argosy::actors

CAF_ALLOW_UNSAFE_MESSAGE_TYPE(std::vector<argosy::actors::queue_actor>)
CAF_ALLOW_UNSAFE_MESSAGE_TYPE(argosy::actors::cluster_map)
