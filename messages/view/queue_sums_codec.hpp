// SPDX-License-Identifier: Apache-2.0
// This file declares how the sums of a queue stand in the record of its totals.
#pragma once

#include <memory>

#include "runtime/base/result.hpp"
#include "runtime/ledger/queue_sums.hpp"

namespace argosy::store::v1 {
class QueueTotals;
}

namespace argosy::view {

void to_record(const ledger::queue_sums& sums, store::v1::QueueTotals& record);

/// Reads what to_record() wrote. Fails with ec::corrupt for states that do not exist.
[[nodiscard]] result<std::shared_ptr<const ledger::queue_sums>> sums_of(
    const store::v1::QueueTotals& record);

}  // namespace argosy::view
