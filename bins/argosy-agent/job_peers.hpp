// SPDX-License-Identifier: Apache-2.0
// This file declares who may not call an agent: the jobs of the machine, which share its network.
#pragma once

#include <functional>

#include "runtime/settings/agent_settings.hpp"

namespace argosy::agent {

/// Whether who is at the other end of a connection is no job. A job is known by its user, if that
/// is one of process.uidRange, and by its control group. On a machine without either a job is the
/// agent's user like any other.
[[nodiscard]] std::function<bool(int socket)> admits_no_job(const settings::agent_settings& from);

}  // namespace argosy::agent
