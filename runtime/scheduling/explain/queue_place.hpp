// SPDX-License-Identifier: Apache-2.0
// This file declares how a waiting job's place among the jobs of its queue is found, for those who
// ask why it waits.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>
#include <vector>

#include "runtime/base/ulid.hpp"

namespace argosy::scheduling {

class snapshot;

/// The place of the job in the order in which rounds look at the queued jobs of its queue: 1 for
/// the first. It is 0 for a job that is not queued or that the snapshot does not know. It takes a
/// binary search when the snapshot is settled, and otherwise a walk over the queue's jobs.
[[nodiscard]] std::uint64_t place_in_queue(const snapshot& from, const ulid& job);

/// What decides that rounds look at a job before another one of its queue, in this order.
enum class ahead_cause : std::uint8_t {
  priority_class,  ///< The priority of its class is higher.
  priority,        ///< Its own priority goes first.
  time,            ///< It was submitted earlier, or at the same time under a smaller id.
};

/// A clause about the job that goes first: "its priority class goes first".
[[nodiscard]] std::string_view sentence(ahead_cause why);

struct ahead_job {
  ulid id;
  ahead_cause why = ahead_cause::time;

  friend bool operator==(const ahead_job&, const ahead_job&) = default;
};

/// The jobs at the head of its queue that rounds look at before this one, `most` at most. It is
/// empty where place_in_queue() is 0 or 1, and while the snapshot is not settled.
[[nodiscard]] std::vector<ahead_job> jobs_ahead(const snapshot& from, const ulid& job,
                                                std::size_t most);

}  // namespace argosy::scheduling
