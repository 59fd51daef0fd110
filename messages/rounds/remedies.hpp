// SPDX-License-Identifier: Apache-2.0
// Says what would have to change for a waiting job to start in a pool. It only makes text from the
// facts that round_history collects.
#pragma once

#include <string>
#include <vector>

#include "messages/rounds/reason_text.hpp"

namespace argosy::rounds {

/// Each remedy is a clause in the imperative, such as "ask for 2 cores at most (3 nodes)". What the
/// owner of the job can do comes first, then what an operator can; a node counts for the first
/// thing that keeps it from taking the job, so that another one may remain. Empty if nothing helps
/// but to wait.
[[nodiscard]] std::vector<std::string> remedies(const pool_facts& facts);

}  // namespace argosy::rounds
