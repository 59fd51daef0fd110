// SPDX-License-Identifier: Apache-2.0
// This file declares what every interface header needs: CAF's typed actors, the atoms, and marks
// for the types of messages that CAF may not send over a network. Messages of actors never leave
// the process; between processes everything is protobuf.
#pragma once

#include <caf/allowed_unsafe_message_type.hpp>
#include <caf/replies_to.hpp>
#include <caf/typed_actor.hpp>

#include "actors/interfaces/atoms.hpp"
#include "runtime/model/identifiers.hpp"

CAF_ALLOW_UNSAFE_MESSAGE_TYPE(argosy::model::queue_name)
CAF_ALLOW_UNSAFE_MESSAGE_TYPE(argosy::model::cluster_name)
CAF_ALLOW_UNSAFE_MESSAGE_TYPE(argosy::model::node_name)
CAF_ALLOW_UNSAFE_MESSAGE_TYPE(argosy::model::pool_name)
CAF_ALLOW_UNSAFE_MESSAGE_TYPE(argosy::model::gang_name)
CAF_ALLOW_UNSAFE_MESSAGE_TYPE(argosy::model::log_position)
CAF_ALLOW_UNSAFE_MESSAGE_TYPE(argosy::model::epoch)
CAF_ALLOW_UNSAFE_MESSAGE_TYPE(argosy::model::timer_generation)
