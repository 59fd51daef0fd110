// SPDX-License-Identifier: Apache-2.0
// The waits of a queue's jobs for one another. It is internal to queue_core.
#pragma once

#include <memory>

#include "runtime/ledger/queue/queue_core.hpp"

namespace argosy::ledger {

class queue_core::waits {
 public:
  /// Says for which jobs the job or its gang has still to wait; null: for none.
  [[nodiscard]] static std::shared_ptr<const model::job_hold> of(const queue_core& core,
                                                                 const model::job_header& header,
                                                                 std::int64_t now_ns);
  /// The job has started or ended: those that waited for just that are held no more.
  static void release(queue_core& core, const model::job_record& record, change_list& changes);
};

}  // namespace argosy::ledger
