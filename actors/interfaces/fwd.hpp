// SPDX-License-Identifier: Apache-2.0
// What every interface header needs: CAF's typed actors, the atoms, and the unsafe-for-network
// marks of the in-process messages (they never leave the process; the wire is protobuf).
#pragma once

#include <caf/allowed_unsafe_message_type.hpp>
#include <caf/replies_to.hpp>
#include <caf/typed_actor.hpp>

#include "actors/interfaces/atoms.hpp"
