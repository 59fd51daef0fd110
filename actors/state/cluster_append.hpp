// SPDX-License-Identifier: Apache-2.0
// This file declares how the events of a CLUSTER become requests to the JOURNAL.
#pragma once

#include <cstddef>
#include <memory>
#include <vector>

#include "messages/native/journal.hpp"
#include "runtime/ledger/cluster/cluster_core.hpp"

namespace argosy::actors {

/// Applies the events to the core and returns the requests that append them, in order. Each has at
/// most so many bytes of events, or a single event.
[[nodiscard]] std::vector<std::shared_ptr<native::append_request>> apply_in_parts(
    ledger::cluster_core& core, std::vector<model::event> events, std::size_t part_bytes_max);

}  // namespace argosy::actors
