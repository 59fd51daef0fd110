// SPDX-License-Identifier: Apache-2.0
#include "messages/native/job_spans.hpp"

#include <algorithm>
#include <utility>

namespace argosy::native {

job_span lease_span(const ledger::placed_run& run, std::uint64_t round, std::string actor,
                    std::int64_t now_ns) {
  return {"lease",
          std::move(actor),
          now_ns,
          now_ns - run.header->submitted_ns,
          0,
          {{"job", to_string(run.run.job)},
           {"queue", run.header->queue},
           {"round", std::to_string(round)},
           {"node", model::node_id(run.cluster, run.node)}}};
}

job_span run_span(const model::agent_run& run, const model::run_event& end, std::string actor) {
  job_span span;
  span.name = "run " + to_string(end.run);
  span.actor = std::move(actor);
  span.start_ns = run.started_ns != 0 ? run.started_ns : end.time_ns;
  span.duration_ns = std::max<std::int64_t>(end.time_ns - span.start_ns, 0);
  span.attributes = {{"node", run.node},
                     {"queue", run.queue},
                     {"exit_code", exit_code_text(end.outcome)},
                     {"reason", end.outcome.reason}};
  span.failed = end.phase != model::run_phase::succeeded;
  return span;
}

job_span end_span(const model::run_report& report, const model::queue_name& queue,
                  std::string actor, std::int64_t now_ns) {
  return {"end",
          std::move(actor),
          now_ns,
          now_ns - report.time_ns,
          0,
          {{"exit_code", exit_code_text(report.outcome)},
           {"queue", queue},
           {"reason", report.outcome.reason}}};
}

void record_ends(const std::vector<model::run_report>& reports, const model::queue_name& queue,
                 const std::string& actor, std::int64_t now_ns) {
  for (const auto& report : reports)
    if (model::is_final(report.phase)) record(report.trace, end_span(report, queue, actor, now_ns));
}

}  // namespace argosy::native
