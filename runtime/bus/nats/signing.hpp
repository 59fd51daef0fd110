// SPDX-License-Identifier: Apache-2.0
// This file declares how a connection gets the identity that a credentials file has.
#pragma once

#include "runtime/access/credentials.hpp"
#include "runtime/base/result.hpp"
#include "runtime/bus/nats/settings.hpp"

namespace argosy::bus {

/// Sets the key of the connection, and the inboxes to which the server lets this identity listen.
/// ec::invalid_argument when the seed is none.
[[nodiscard]] result<void> sign_as(const access::credentials& who, nats_settings& settings);

}  // namespace argosy::bus
