// SPDX-License-Identifier: Apache-2.0
// How many actors of each type are alive. The mixin counts; metrics and the actor table read.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "runtime/trace/recorder.hpp"

namespace argosy::trace {

void note_actor_started(name_id type);
void note_actor_ended(name_id type);

struct actor_type_count {
  std::string type;
  /// The number of actors alive now, in all actor systems of the process.
  std::uint64_t instances = 0;
  /// The number of actors ever started.
  std::uint64_t started = 0;
};

/// One entry for each type that ever lived, ordered by type.
[[nodiscard]] std::vector<actor_type_count> actor_type_counts();

}  // namespace argosy::trace
