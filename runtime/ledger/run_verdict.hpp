// SPDX-License-Identifier: Apache-2.0
// This file declares what the end of a run says of the node on which it was, and of its queue.
#pragma once

#include <cstdint>

namespace argosy::ledger {

enum class run_verdict : std::uint8_t {
  in_order,   ///< The run was ended by order, which says nothing.
  succeeded,  ///< The user's command ended well.
  failed,     ///< The user's command failed; the node did its part.
  lost,       ///< The run was lost or never began; its node counts as the cause.
  refused,    ///< A fault of the node kept the run from beginning.
};

}  // namespace argosy::ledger
