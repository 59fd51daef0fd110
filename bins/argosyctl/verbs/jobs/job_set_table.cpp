// SPDX-License-Identifier: Apache-2.0
#include "bins/argosyctl/verbs/jobs/job_set_table.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "bins/argosyctl/output/event_text.hpp"
#include "bins/argosyctl/output/human.hpp"
#include "bins/argosyctl/output/progress.hpp"

namespace argosy::ctl {

namespace {

using api::JobState;

cell count_cell(std::size_t n, look as = look::plain) {
  return {fmt::format("{}", n), static_cast<double>(n), n == 0 ? look::plain : as};
}

cell progress_cell(const set_counts& set) {
  const auto all = static_cast<double>(std::max<std::size_t>(1, set.all));
  return {fmt::format("{} {}/{}", progress_bar(set.over, set.all, 20), set.over, set.all),
          static_cast<double>(set.over) / all};
}

}  // namespace

void set_counts::add(JobState state, std::size_t jobs) {
  by_state[state] += jobs;
  all += jobs;
  if (is_over(state)) over += jobs;
}

std::size_t set_counts::count(JobState state) const {
  const auto found = by_state.find(state);
  return found == by_state.end() ? 0 : found->second;
}

listing job_set_listing(const counts_by_set& sets, std::int64_t now_ns) {
  const auto right = alignment::right;
  listing out{{{.title = "QUEUE", .yields_to = 8},
               {.title = "JOB SET", .yields_to = 8},
               {.title = "JOBS", .align = right, .spare = 3},
               {.title = "QUEUED", .align = right, .spare = 1},
               {.title = "RUNNING", .align = right},
               {.title = "FAILED", .align = right},
               {.title = "AGE", .align = right, .spare = 2, .ticks = true},
               {.title = "PROGRESS", .spare = 4}}};
  for (const auto& [key, set] : sets) {
    const auto running =
        set.count(JobState::LEASED) + set.count(JobState::PENDING) + set.count(JobState::RUNNING);
    const auto failed = set.count(JobState::FAILED) + set.count(JobState::REJECTED);
    out.rows.add(
        {key.first, key.second, count_cell(set.all), count_cell(set.count(JobState::QUEUED)),
         count_cell(running), count_cell(failed, look::bad),
         cell{human_age(set.submitted_ns, now_ns), static_cast<double>(now_ns - set.submitted_ns)},
         progress_cell(set)});
    out.names.push_back("jobset/" + key.first + "/" + key.second);
  }
  return out;
}

}  // namespace argosy::ctl
