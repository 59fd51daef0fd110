// SPDX-License-Identifier: Apache-2.0
// This file declares how the runs of a process backend are kept from its files and from each other,
// as its configuration says.
#pragma once

#include <string>
#include <vector>

#include "runtime/backends/process/process_backend.hpp"

namespace argosy::backends {

/// The users of runs. There is a range only for an agent that is root and may become its users,
/// which is tried.
[[nodiscard]] user_rules rules_of(const process_config& config);

/// Says in sentences for the operator which protection the runs of this machine lack, whose users
/// are `found` by rules_of().
[[nodiscard]] std::vector<std::string> missing_protection(const process_config& config,
                                                          const user_rules& found);

/// The folders and files that a run must not see, as paths without links.
[[nodiscard]] std::vector<std::string> hidden_paths(const process_config& config);

/// Says why no run may be started for lack of room: the agent's own store needs what is left of the
/// disk. The text is empty if there is room.
[[nodiscard]] std::string lack_of_room(const process_config& config);

}  // namespace argosy::backends
