// SPDX-License-Identifier: Apache-2.0
// Where a decision of many events may be divided into several records of the log.
#pragma once

#include <cstddef>
#include <vector>

#include "runtime/ledger/queue_core.hpp"
#include "runtime/model/event.hpp"

namespace argosy::actors {

using event_iterator = std::vector<model::event>::iterator;

/// The end of the record that begins at `from`, which is not the end: the first place after
/// `bytes_max` bytes where what follows may come apart from what is before. A submission stays
/// whole. The core must not have applied the events yet.
[[nodiscard]] event_iterator end_of_part(const ledger::queue_core& core, event_iterator from,
                                         event_iterator end, std::size_t bytes_max);

}  // namespace argosy::actors
