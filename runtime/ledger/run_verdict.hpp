// SPDX-License-Identifier: Apache-2.0
// This file declares what the end of a run says of the node on which it was.
#pragma once

#include <cstdint>

namespace argosy::ledger {

enum class run_verdict : std::uint8_t {
  in_order,
  failed,  ///< The run failed in a way that counts against the node.
};

}  // namespace argosy::ledger
