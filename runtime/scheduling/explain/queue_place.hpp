// SPDX-License-Identifier: Apache-2.0
// This file declares how a waiting job's place among the jobs of its queue is found, for those who
// ask why it waits.
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
