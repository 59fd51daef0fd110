// SPDX-License-Identifier: Apache-2.0
// This file tells where a decision of many events may be divided into several records of the
// log.
#pragma once

#include <cstddef>
#include <functional>
#include <vector>

#include "runtime/base/result.hpp"
#include "runtime/ledger/queue/queue_core.hpp"
#include "runtime/model/event.hpp"

namespace argosy::codec {

/// Whether the second event may be in another record than the first one, which is just before it.
using may_part = std::function<bool(const model::event&, const model::event&)>;

/// Where the events of a queue's decision may be divided: not within a submission, nor between the
/// events of one job, nor within what a plan does with one gang. The core must not have applied the
/// events yet.
[[nodiscard]] may_part queue_parts(const ledger::queue_core& core);

/// Divides the events into records, in order. Each ends at the last place within `bytes_max` bytes
/// where events may be divided, or at the first such place if that is farther.
[[nodiscard]] std::vector<std::vector<model::event>> divide_into_records(
    std::vector<model::event> events, std::size_t bytes_max, const may_part& parted);

/// Whether each record into which divide_into_records() divides the events fits into the log.
/// ec::too_large: what must stay together, such as a submission or the settings of a queue, takes
/// more bytes than `record_bytes_max`. This is checked first, since a log that refuses applied
/// events ends the process.
[[nodiscard]] result<void> check_records(const std::vector<model::event>& events,
                                         std::size_t part_bytes_max, std::size_t record_bytes_max,
                                         const may_part& parted);

/// The number of members of the largest gang for which any decision of a plan fits into one record.
[[nodiscard]] std::size_t gang_members_max(std::size_t record_bytes_max);

}  // namespace argosy::codec
