// SPDX-License-Identifier: Apache-2.0
// This file declares how the jobs of queues are found by the index of postings, so that no job of
// another queue is looked at.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "messages/view/search/id_streams.hpp"
#include "runtime/model/job.hpp"

namespace argosy::view {

inline constexpr std::size_t job_states = static_cast<std::size_t>(model::job_state::rejected) + 1;

using state_filter = std::function<bool(model::job_state)>;

/// The jobs of these queues that can be in a wanted state, in the order of ids. Those that have
/// ended are in such a state for certain. Live ones are joined with a table that has no others,
/// which has their records or leaves out those that wait.
[[nodiscard]] result<id_stream_ptr> ids_in_queues(store::read_txn& txn,
                                                  const std::vector<std::string>& queues,
                                                  const state_filter& wants, direction way);

/// The record of a job to which an index has led; nothing when it has expired meanwhile.
[[nodiscard]] result<std::optional<std::string_view>> record_of(store::read_txn& txn,
                                                                const ulid& id);

}  // namespace argosy::view
