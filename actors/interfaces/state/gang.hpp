// SPDX-License-Identifier: Apache-2.0
// GANG, one per gang of a queue: membership until complete, then the joint life cycle. Spawned by
// its QUEUE, which it tells when all members are there; ends when the last member has.
#pragma once

#include "actors/interfaces/fwd.hpp"
#include "messages/native/queue.hpp"

namespace argosy::actors {

using gang_actor = caf::typed_actor<
    // Jobs joined; durable.
    caf::reacts_to<atom::member, std::vector<ulid>>,
    // Members were placed; their runs came back; they ended.
    caf::reacts_to<atom::started, std::vector<ulid>>,
    caf::reacts_to<atom::requeued, std::vector<ulid>>,
    caf::reacts_to<atom::ended, std::vector<ulid>>,
    // How many members are still to come before it can start.
    caf::replies_to<atom::status>::with<std::uint64_t>>;

}  // namespace argosy::actors

CAF_ALLOW_UNSAFE_MESSAGE_TYPE(std::vector<argosy::ulid>)
