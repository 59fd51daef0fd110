// SPDX-License-Identifier: Apache-2.0
// Where a decision of many events may be divided into several records of the log.
#pragma once

#include <cstddef>
#include <functional>
#include <vector>

#include "runtime/base/result.hpp"
#include "runtime/ledger/queue/queue_core.hpp"
#include "runtime/model/event.hpp"

namespace argosy::codec {

using event_iterator = std::vector<model::event>::iterator;

/// Whether the second event may be in another record than the first, which is just before it.
using may_part = std::function<bool(const model::event&, const model::event&)>;

/// What may come apart of a queue's decision: all but a submission, the events of one job, and what
/// a plan does with one gang. The core must not have applied the events yet.
[[nodiscard]] may_part queue_parts(const ledger::queue_core& core);

/// The end of the record that begins at `from`, which is not the end: the last place within
/// `bytes_max` bytes where events may part, or the first one if that is farther.
[[nodiscard]] event_iterator end_of_part(event_iterator from, event_iterator end,
                                         std::size_t bytes_max, const may_part& parted);

/// Whether each record fits that the events are divided into by end_of_part(). ec::too_large: what
/// must stay together, such as a submission or the settings of a queue, takes more bytes than
/// `record_bytes_max`; once it is applied, a log that refuses it ends the process.
[[nodiscard]] result<void> check_records(std::vector<model::event>& events,
                                         std::size_t part_bytes_max, std::size_t record_bytes_max,
                                         const may_part& parted);

/// The members of the largest gang of which whatever a plan decides fits into one record.
[[nodiscard]] std::size_t gang_members_max(std::size_t record_bytes_max);

}  // namespace argosy::codec
