// SPDX-License-Identifier: Apache-2.0
#include "bins/argosyctl/verbs/job_lists/job_table.hpp"

#include <fmt/format.h>

#include "bins/argosyctl/output/event_text.hpp"
#include "bins/argosyctl/output/human.hpp"
#include "bins/argosyctl/verbs/get.hpp"

namespace argosy::ctl {

namespace {

std::string place_of(const argosy::v1::JobSummary& job) {
  if (job.node().empty()) return job.cluster();
  return job.cluster().empty() ? job.node() : job.cluster() + "/" + job.node();
}

std::string run_time(const argosy::v1::JobSummary& job, std::int64_t now) {
  if (job.started_ns() == 0) return {};
  return human_age(job.started_ns(), job.finished_ns() != 0 ? job.finished_ns() : now);
}

/// Nobody knows what a run does whose cluster is not heard.
std::string reason_of(const argosy::v1::JobSummary& job, std::int64_t now) {
  if (!job.cluster_silent()) return job.reason();
  auto text = job.reason().empty() ? std::string{} : job.reason() + "; ";
  text += "its cluster is silent";
  if (job.cluster_heard_ns() != 0) text += " for " + human_age(job.cluster_heard_ns(), now);
  return text;
}

}  // namespace

std::vector<column> job_columns() {
  return {{.title = "NAME", .yields_to = 8, .spare = 6},
          {.title = "JOB", .shortens = shortening::ids},
          {.title = "QUEUE", .yields_to = 8, .spare = 3},
          {.title = "JOB SET", .yields_to = 8, .spare = 2},
          {"STATE"},
          {.title = "AGE", .align = alignment::right, .spare = 5, .ticks = true},
          {.title = "RUN TIME", .align = alignment::right, .wide = true, .ticks = true},
          {"CPU", alignment::right, true},
          {"MEMORY", alignment::right, true},
          {"OTHER", alignment::left, true},
          {"PRIORITY", alignment::right, true},
          {"CLASS", alignment::left, true},
          {"OWNER", alignment::left, true},
          {"GANG", alignment::left, true},
          {"RUN", alignment::right, true},
          {"EXIT", alignment::right, true},
          {"POOL", alignment::left, true},
          {.title = "NODE", .yields_to = 8, .spare = 4, .shortens = shortening::places},
          {.title = "REASON", .yields_to = 10, .spare = 1}};
}

std::vector<cell> job_row(const argosy::v1::JobSummary& job, std::int64_t now) {
  const auto gang =
      job.gang().empty() ? "" : fmt::format("{} ({})", job.gang(), job.gang_cardinality());
  return {job.name(),
          job.job_id(),
          job.queue(),
          job.job_set(),
          cell{state_name(job.state()), state_look(job.state())},
          cell{human_age(job.submitted_ns(), now), static_cast<double>(now - job.submitted_ns())},
          run_time(job, now),
          amount_of("cpu", job.requests()),
          amount_of("memory", job.requests()),
          other_amounts(job.requests()),
          cell{fmt::format("{}", job.priority()), job.priority()},
          job.priority_class(),
          job.owner(),
          gang,
          job.run() == 0 ? std::string{} : fmt::format("{}", job.run()),
          job.has_exit_code() ? fmt::format("{}", job.exit_code()) : std::string{},
          job.pool(),
          place_of(job),
          cell{reason_of(job, now), job.cluster_silent() ? look::warning : look::plain}};
}

}  // namespace argosy::ctl
