// SPDX-License-Identifier: Apache-2.0
// This file declares the bus over NATS. Each subscription's handler runs on a thread of its own,
// all reply callbacks of a connection on another, and time-outs on a third.
#pragma once

#include <memory>
#include <string_view>

#include "runtime/base/result.hpp"
#include "runtime/bus/connection.hpp"
#include "runtime/bus/nats/settings.hpp"

namespace argosy::bus {

/// In the detail of an error, before the name of a host that has no address: to wait for it is of
/// no use.
inline constexpr std::string_view no_address_text = "No address is known for the name";

/// Connects; afterwards the connection reconnects by itself, forever. Fails with ec::unreachable
/// when no server is there, which may pass, ec::denied when it refuses the token or the two ends do
/// not trust each other (TLS), and ec::invalid_argument for a malformed URL.
[[nodiscard]] result<std::shared_ptr<connection>> connect_nats(const nats_settings& settings);

}  // namespace argosy::bus
