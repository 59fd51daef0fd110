// SPDX-License-Identifier: Apache-2.0
#include "bins/argosyctl/verbs/job_lists/job_set_table.hpp"

#include <fmt/format.h>

#include <array>

#include "bins/argosyctl/output/event_text.hpp"
#include "bins/argosyctl/output/human.hpp"
#include "bins/argosyctl/output/json.hpp"
#include "bins/argosyctl/output/progress.hpp"
#include "runtime/base/text.hpp"

namespace argosy::ctl {

namespace {

using api::JobState;

constexpr std::size_t set_bar_cells = 10;

/// How many jobs of a set are in each state.
class state_counts {
 public:
  /// Takes a JobSetSummary or a JobGroup.
  template <class Group>
  explicit state_counts(const Group& group) {
    for (const auto& [name, count] : group.jobs_by_state()) {
      JobState state{};
      if (!api::JobState_Parse(name, &state)) state = JobState::UNKNOWN;
      by_state_.at(static_cast<std::size_t>(state)) += count;
      all_ += count;
      if (is_over(state)) over_ += count;
    }
  }

  [[nodiscard]] std::size_t of(JobState state) const {
    return by_state_.at(static_cast<std::size_t>(state));
  }
  [[nodiscard]] std::size_t all() const { return all_; }
  [[nodiscard]] std::size_t over() const { return over_; }
  [[nodiscard]] std::size_t started() const {
    return of(JobState::LEASED) + of(JobState::PENDING) + of(JobState::RUNNING);
  }

 private:
  std::array<std::size_t, api::JobState_ARRAYSIZE> by_state_{};
  std::size_t all_ = 0;
  std::size_t over_ = 0;
};

cell progress_cell(const state_counts& counts) {
  progress done;
  done.succeeded = counts.of(JobState::SUCCEEDED);
  done.failed = counts.over() - done.succeeded;
  done.running = counts.started();
  done.all = counts.all();
  const auto share =
      static_cast<double>(counts.over()) / static_cast<double>(std::max<std::size_t>(1, done.all));
  return {progress_bar(done, set_bar_cells), share};
}

/// States that have a column only where some job is in them, so that the numbers add up.
struct rare_states {
  bool preempted = false;
  bool rejected = false;

  void see(const state_counts& counts) {
    preempted = preempted || counts.of(JobState::PREEMPTED) > 0;
    rejected = rejected || counts.of(JobState::REJECTED) > 0;
  }
};

std::vector<column> columns(const rare_states& rare) {
  auto preemptions = numbers("PREEMPTED", "PREE");
  preemptions.wide = !rare.preempted;
  auto rejections = numbers("REJECTED", "REJ");
  rejections.wide = !rare.rejected;
  return {{.title = "QUEUE", .yields_to = 8},
          {.title = "JOB SET", .yields_to = 8},
          numbers("JOBS", {}, 3),
          numbers("QUEUED"),
          numbers("RUNNING", "RUN"),
          numbers("SUCCEEDED", "SUCC"),
          numbers("FAILED", "FAIL"),
          numbers("CANCELLED", "CANC"),
          std::move(preemptions),
          std::move(rejections),
          {.title = "AGE", .align = alignment::right, .spare = 4, .ticks = true},
          {.title = "PROGRESS", .spare = 1}};
}

/// The cells that follow the names of a set or group.
template <class Group>
std::vector<cell> count_cells(const Group& group, std::int64_t now_ns) {
  const state_counts counts{group};
  return {number(counts.all()),
          number(counts.of(JobState::QUEUED)),
          number(counts.started()),
          number(counts.of(JobState::SUCCEEDED), look::good),
          number(counts.of(JobState::FAILED), look::bad),
          number(counts.of(JobState::CANCELLED), look::warning),
          number(counts.of(JobState::PREEMPTED), look::warning),
          number(counts.of(JobState::REJECTED), look::bad),
          cell{human_age(group.submitted_ns(), now_ns),
               static_cast<double>(now_ns - group.submitted_ns())},
          progress_cell(counts)};
}

}  // namespace

listing job_set_listing(const std::vector<const argosy::v1::JobSetSummary*>& sets,
                        std::int64_t now_ns) {
  rare_states rare;
  for (const auto* set : sets) rare.see(state_counts{*set});
  listing out{columns(rare)};
  for (const auto* set : sets) {
    std::vector<cell> row{set->queue(), set->job_set()};
    for (auto& each : count_cells(*set, now_ns)) row.push_back(std::move(each));
    out.rows.add(std::move(row));
    out.names.push_back("jobset/" + set->queue() + "/" + set->job_set());
    out.json.push_back(json_of(*set));
  }
  return out;
}

listing job_group_listing(const argosy::v1::GroupJobsResponse& found, const std::string& field,
                          std::int64_t now_ns) {
  rare_states rare;
  for (const auto& group : found.groups()) rare.see(state_counts{group});
  auto shown = columns(rare);
  shown.erase(shown.begin());
  shown.front().title = upper_case(field);
  listing out{std::move(shown)};
  for (const auto& group : found.groups()) {
    // States are written as in other lists.
    const auto name = field == "state" ? lower_case(group.name()) : group.name();
    std::vector<cell> row{name.empty() ? std::string{"-"} : name};
    for (auto& each : count_cells(group, now_ns)) row.push_back(std::move(each));
    out.rows.add(std::move(row));
    out.names.push_back(group.name());
    out.json.push_back(json_of(group));
  }
  return out;
}

}  // namespace argosy::ctl
