// SPDX-License-Identifier: Apache-2.0
// Words that the reports have in common.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "messages/native/round_report.hpp"
#include "runtime/model/job.hpp"

namespace argosy::rounds {

/// How long ago something was: "2.4 s ago", "5 min ago", "3 h ago", "2 days ago". Times that lie in
/// the future count as now.
[[nodiscard]] std::string ago(std::int64_t then_ns, std::int64_t now_ns);

/// "1 job", "2 jobs".
[[nodiscard]] std::string count_of(std::uint64_t number, std::string_view one);

/// "a, b, c".
[[nodiscard]] std::string listed(const std::vector<std::string>& parts);

/// "node n7 of cluster east (pool default)".
[[nodiscard]] std::string place_text(const model::run_record& run);

/// Whether it waits since its last run was preempted.
[[nodiscard]] bool was_sent_back(const model::job_record& job);

/// "uses 2.4% of pool default; its fair share is 7.7% and its demand 40.0%".
[[nodiscard]] std::string share_line(const model::pool_name& pool,
                                     const native::queue_share& share);

/// What kept jobs from starting, "3 jobs: its queue is cordoned (QUEUE_CORDONED)", and what most of
/// them ask for. Each line begins with the indent and ends with a line feed.
[[nodiscard]] std::string stop_lines(const native::queue_stop& stop, const std::string& indent);

/// Which round was the last: "pool default: round 12, 2.4 s ago, ...".
[[nodiscard]] std::string round_line(const native::pool_round& round, std::int64_t now_ns);

}  // namespace argosy::rounds
