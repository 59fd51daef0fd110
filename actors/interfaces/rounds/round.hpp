// SPDX-License-Identifier: Apache-2.0
// A ROUND, of which each pool has one, decides the rounds of its pool, each on a snapshot that
// nobody changes meanwhile, and answers with the plan. It keeps what it knows of the pool.
#pragma once

#include <cstdint>
#include <memory>

#include "actors/interfaces/status.hpp"
#include "runtime/scheduling/config.hpp"
#include "runtime/scheduling/plan.hpp"
#include "runtime/scheduling/round.hpp"
#include "runtime/scheduling/snapshot.hpp"

namespace argosy::native {

struct round_request {
  std::shared_ptr<const scheduling::snapshot> snapshot;
  std::shared_ptr<const scheduling::config> config;
  scheduling::round_params params;
  std::uint64_t number = 0;  ///< The number of the round, which names it in log lines.
};
using round_ptr = std::shared_ptr<const round_request>;
using plan_ptr = std::shared_ptr<const scheduling::plan>;

}  // namespace argosy::native

namespace argosy::actors {

using round_actor =
    caf::typed_actor<caf::replies_to<atom::round, native::round_ptr>::with<native::plan_ptr>,
                     answers_status>;

}  // namespace argosy::actors

CAF_ALLOW_UNSAFE_MESSAGE_TYPE(argosy::native::round_ptr)
CAF_ALLOW_UNSAFE_MESSAGE_TYPE(argosy::native::plan_ptr)
