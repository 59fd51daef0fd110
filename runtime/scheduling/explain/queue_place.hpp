// SPDX-License-Identifier: Apache-2.0
// Which place a waiting job has among the jobs of its queue.
#pragma once

#include <cstdint>

#include "runtime/base/ulid.hpp"

namespace argosy::scheduling {

class snapshot;

/// The place of the job in the order in which rounds look at the queued jobs of its queue: 1 for
/// the first. It is 0 for a job that is not queued or that the snapshot does not know. It takes a
/// binary search when the snapshot is settled, and otherwise a walk over the queue's jobs.
[[nodiscard]] std::uint64_t place_in_queue(const snapshot& from, const ulid& job);

}  // namespace argosy::scheduling
