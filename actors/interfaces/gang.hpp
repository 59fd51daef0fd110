// SPDX-License-Identifier: Apache-2.0
// GANG, one per gang of a queue: membership until complete, then the joint life cycle. Spawned by
// its QUEUE, which it tells when all members are there; ends when the last member has.
#pragma once

#include "actors/interfaces/fwd.hpp"
#include "messages/native/queue.hpp"

namespace argosy::actors {

using gang_actor = caf::typed_actor<
    // A job joined; durable.
    caf::reacts_to<atom::member, ulid>,
    // A member was placed; a member ended.
    caf::reacts_to<atom::started, ulid>, caf::reacts_to<atom::ended, ulid>>;

}  // namespace argosy::actors

CAF_ALLOW_UNSAFE_MESSAGE_TYPE(argosy::ulid)
