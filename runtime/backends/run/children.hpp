// SPDX-License-Identifier: Apache-2.0
// This file declares how the children of a shim are killed, by itself or by its agent.
#pragma once

#include <sys/types.h>

namespace argosy::backends {

/// Kills the children that the process has now. The first child of a shim is the run's init, and
/// every orphan of the command becomes another one, since a shim is a PR_SET_CHILD_SUBREAPER.
void kill_children_of(pid_t process);

}  // namespace argosy::backends
