// SPDX-License-Identifier: Apache-2.0
// This file declares how the COORDINATOR has its decided rounds recorded in the log.
#pragma once

#include <caf/typed_event_based_actor.hpp>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <utility>
#include <vector>

#include "actors/interfaces/rounds/round.hpp"
#include "actors/rounds/coordinator.hpp"
#include "runtime/logging/logger.hpp"
#include "runtime/model/event.hpp"
#include "runtime/scheduling/plan.hpp"

namespace argosy::actors {

/// The COORDINATOR owns it and uses it on its thread.
class round_log {
 public:
  /// `config` outlives the object.
  round_log(coordinator_actor::base* self, const coordinator_config& config)
      : self_(self), config_(config) {}

  /// Appends the record, of which the caller gives number, position of the snapshot, duration and
  /// carried entries. A record that cannot be written is only logged: the round stands by the
  /// leases of its plan.
  void append(const native::round_request& request, const scheduling::plan& plan,
              model::round_decided decided);

 private:
  static inline const logging::logger logger_{"coordinator"};

  coordinator_actor::base* self_;
  const coordinator_config& config_;
};

}  // namespace argosy::actors
