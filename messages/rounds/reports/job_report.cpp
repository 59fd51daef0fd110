// SPDX-License-Identifier: Apache-2.0
#include "messages/rounds/reports/job_report.hpp"

#include <fmt/format.h>

#include "messages/rounds/reports/report_words.hpp"

namespace argosy::rounds {

namespace {

void tell_place_in_queue(const native::placement_report& waiting, std::string& out) {
  if (waiting.place == 0) return;
  if (waiting.place == 1) {
    out += "it is the first of its queue\n";
    return;
  }
  std::vector<std::string> ids;
  for (const auto& other : waiting.ahead) ids.push_back(to_string(other.id));
  const auto more = waiting.place - 1 - ids.size();
  out += fmt::format("it has place {} in its queue", waiting.place);
  if (!ids.empty()) {
    out += "; before it: " + listed(ids);
    if (more > 0) out += fmt::format(" and {} more", more);
  }
  out += "\n";
}

void tell_waiting(const model::job_record& job, const native::placement_report& waiting,
                  std::int64_t now_ns, std::string& out) {
  if (is_kept_back(job.hold)) {
    out += model::to_string(*job.hold) + "\n";
    return;
  }
  if (!waiting.known) {
    out += job.header->gang ? "its gang is new or lacks members: no round has looked at it yet\n"
                            : "no round has looked at it yet\n";
    return;
  }
  out += waiting.reason + "\n";
  tell_place_in_queue(waiting, out);
  for (const auto& pool : waiting.pools) {
    out += pool.text;
    if (pool.round > 0)
      out += fmt::format(" (round {}, {})", pool.round, ago(pool.time_ns, now_ns));
    out += "\n";
    for (const auto& remedy : pool.remedies) out += "  it could help to " + remedy + "\n";
  }
}

void tell_live(const model::job_record& job, const model::run_record& run, std::int64_t now_ns,
               std::string& out) {
  out += fmt::format("round {} chose {} for it at priority {}, {}\n", run.round, place_text(run),
                     run.scheduled_at_priority, ago(run.leased_ns, now_ns));
  if (run.started_ns > 0) out += "its process started " + ago(run.started_ns, now_ns) + "\n";
  if (!run.note.empty()) out += run.note + "\n";
  if (job.stopping == model::stop_cause::none) return;
  out += "its run is being stopped";
  if (!job.reason.empty()) out += ": " + job.reason;
  out += "\n";
}

void tell_end(const model::job_record& job, std::int64_t now_ns, std::string& out) {
  out += "it ended " + ago(job.changed_ns, now_ns) + "\n";
  if (job.state == model::job_state::preempted) {
    if (job.preemptor != ulid{})
      out += "job " + to_string(job.preemptor) + " took its place\n";
    else if (!job.requestor.empty())
      out += job.requestor + " asked for it\n";
    else
      out += "no single job took its place\n";
  } else if (!job.requestor.empty()) {
    out += job.requestor + " asked for it\n";
  }
  if (!job.reason.empty()) out += "reason: " + job.reason + "\n";
  if (job.runs.empty()) return;
  const auto& run = job.runs.back();
  out += "its last run was on " + place_text(run);
  if (run.outcome.exit_code) out += fmt::format(" and ended with code {}", *run.outcome.exit_code);
  out += "\n";
  if (!run.outcome.message.empty() && run.outcome.message != job.reason)
    out += run.outcome.message + "\n";
}

}  // namespace

std::string job_report(const model::job_record& job, const native::placement_report& waiting,
                       std::int64_t now_ns) {
  const auto& header = *job.header;
  auto out = fmt::format("job {} of queue {} is {}, submitted {}", to_string(header.id),
                         header.queue, to_string(job.state), ago(header.submitted_ns, now_ns));
  if (!job.runs.empty() && job.runs.back().number > 1)
    out += fmt::format(", at its run {}", job.runs.back().number);
  out += "\n";
  if (was_sent_back(job))
    out += "its last run was preempted: " + job.runs.back().outcome.message + "\n";
  if (job.state == model::job_state::queued)
    tell_waiting(job, waiting, now_ns, out);
  else if (const auto* run = job.live_run())
    tell_live(job, *run, now_ns, out);
  else
    tell_end(job, now_ns, out);
  return out;
}

}  // namespace argosy::rounds
