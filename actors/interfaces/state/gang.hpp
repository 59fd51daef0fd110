// SPDX-License-Identifier: Apache-2.0
// A GANG, of which each gang of a queue has one, collects the members until they are all there, and
// then follows their joint life. It alone counts them. Its QUEUE spawns it, hears from it when the
// members may be scheduled and under which sizes, and lets it end with the last member.
#pragma once

#include "actors/interfaces/status.hpp"
#include "messages/native/queue.hpp"

namespace argosy::actors {

using gang_actor = caf::typed_actor<
    // The QUEUE says which members a durable decision changed.
    caf::reacts_to<atom::changed, native::gang_changed_ptr>, answers_status>;

}  // namespace argosy::actors

CAF_ALLOW_UNSAFE_MESSAGE_TYPE(argosy::native::gang_changed_ptr)
