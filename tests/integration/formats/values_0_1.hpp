// SPDX-License-Identifier: Apache-2.0
// The values of which the story of version 0.1 tells, with all fields that it knows. They never
// change. What is a map on the wire has one entry, so that its bytes are certain.
#pragma once

#include <cstdint>
#include <vector>

#include "runtime/model/event.hpp"

namespace argosy::testing {

inline constexpr std::int64_t second_ns = 1'000'000'000;
inline constexpr std::int64_t begin_0_1_ns = 1'800'000'000 * second_ns;

/// The job of this number, 1 to 12. The first eight have ended or are on their way to it: 1
/// succeeded, 2 failed, 3 waits after two runs, 4 waits for a second run, 5 was cancelled, 6 was
/// preempted, 7 was rejected and has expired, 8 is held; 9 runs, 10 waits, and 11 and 12 are a
/// gang.
[[nodiscard]] ulid job_0_1(std::uint64_t number);

[[nodiscard]] model::trace_context trace_0_1();
[[nodiscard]] model::affinity_terms nodes_0_1();
[[nodiscard]] model::queue_settings queue_0_1();
[[nodiscard]] model::cluster_info cluster_0_1();
[[nodiscard]] model::retry_policy policy_0_1();
[[nodiscard]] model::run_outcome failure_0_1();
[[nodiscard]] std::vector<model::carried_entry> carried_0_1();
[[nodiscard]] model::settings_changed settings_0_1();
/// One of the queue, which goes on, and one of the cluster, which has ended.
[[nodiscard]] std::vector<model::operation> operations_0_1();

}  // namespace argosy::testing
