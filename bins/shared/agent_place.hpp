// SPDX-License-Identifier: Apache-2.0
// This file declares what tells an agent from every other one: where its data directory is, in
// which boot of the machine it runs, and which process it is. A copied directory and a cloned
// machine show by it.
#pragma once

#include <filesystem>

#include "runtime/base/result.hpp"
#include "runtime/model/node.hpp"

namespace argosy {

/// Fills place, boot and process of this process, whose data directory is `folder`. The place is
/// the machine's id with the inode of the directory and the time of its making: a directory that is
/// renamed keeps them, a copy does not.
void set_place(model::cluster_info& cluster, const std::filesystem::path& folder);

/// Sets the folder of the runs aside, under another name, since the store of this agent is from
/// elsewhere: its runs are not here, and what is told of them must not be taken for runs that are.
result<void> set_runs_aside(const model::cluster_info& cluster, const std::filesystem::path& runs);

}  // namespace argosy
