// SPDX-License-Identifier: Apache-2.0
// What a process shows at /metrics: the families that every process has, which are those of its
// actors from the trace recorder's counters and those of the process itself, and those of the
// probes on its board. Labels are types, never ids, so that their number stays small.
#pragma once

#include <prometheus/collectable.h>

#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "runtime/metrics/board.hpp"
#include "runtime/trace/actor_reading.hpp"

namespace argosy::health {

///   argosy_actor_messages_total{actor,msg,result}   handled, failed or dropped
///   argosy_actor_processing_seconds{actor,msg}      histogram
///   argosy_actor_mailbox_wait_seconds{actor}        histogram
///   argosy_actor_mailbox_depth{actor,stat}          sum (now), max (since the start)
///   argosy_actor_instances{actor}, argosy_actor_starts_total{actor}
///   argosy_actor_oldest_message_seconds{actor}, argosy_actor_busy_seconds{actor}
///   argosy_trace_spans_lost_total
/// `read` gives what each actor shows now; without it the two before the last are not there.
[[nodiscard]] std::shared_ptr<const prometheus::Collectable> actor_metrics(
    std::function<trace::actor_readings()> read = {});

///   argosy_build_info{program,version}, argosy_log_lines_total{level},
///   process_cpu_seconds_total, process_resident_memory_bytes, process_open_fds, process_threads,
///   process_start_time_seconds
[[nodiscard]] std::shared_ptr<const prometheus::Collectable> process_metrics(std::string program,
                                                                             std::string version);

/// Every family of the probes on the board, and with `armada_names` under Armada's names as well.
[[nodiscard]] std::shared_ptr<const prometheus::Collectable> probe_metrics(
    std::shared_ptr<const metrics::board> board, bool armada_names = false);

/// Returns the metrics of all sources as Prometheus text.
[[nodiscard]] std::string metrics_text(
    const std::vector<std::shared_ptr<const prometheus::Collectable>>& sources);

}  // namespace argosy::health
