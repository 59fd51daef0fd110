// SPDX-License-Identifier: Apache-2.0
// This file declares what the end of a run says of the node on which it was.
#pragma once

#include <cstdint>

namespace argosy::ledger {

enum class run_verdict : std::uint8_t {
  in_order,
  failed,   ///< The run went wrong, which may be its own fault or the node's.
  refused,  ///< A fault of the node kept the run from beginning.
};

}  // namespace argosy::ledger
