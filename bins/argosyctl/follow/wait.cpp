// SPDX-License-Identifier: Apache-2.0
#include "bins/argosyctl/follow/wait.hpp"

#include <fmt/format.h>

#include <vector>

#include "bins/argosyctl/follow/waiting_line.hpp"
#include "bins/argosyctl/output/text.hpp"

namespace argosy::ctl {

namespace {

using api::JobState;

constexpr std::size_t jobs_shown_one_by_one = 100;
constexpr std::size_t bad_ends_shown = 20;

/// The jobs in one line: "9946 jobs: 9900 succeeded, 46 failed".
std::string summary(const job_tracker& jobs) {
  auto text = fmt::format("{} jobs:", jobs.jobs().size());
  const char* comma = " ";
  for (const auto state : {JobState::SUCCEEDED, JobState::FAILED, JobState::CANCELLED,
                           JobState::PREEMPTED, JobState::REJECTED, JobState::RUNNING,
                           JobState::PENDING, JobState::LEASED, JobState::QUEUED})
    if (const auto n = jobs.count(state); n != 0) {
      text += fmt::format("{}{} {}", comma, n, state_name(state));
      comma = ", ";
    }
  return text;
}

/// One call of wait_for_jobs().
class waiting {
 public:
  waiting(session& s, client& server, awaited_jobs& awaited, const wait_options& options)
      : s_(s),
        server_(server),
        awaited_(awaited),
        options_(options),
        told_(awaited.jobs.jobs().size()),
        one_by_one_(options.lines == wait_lines::all || s.as == format::name ||
                    told_.size() <= jobs_shown_one_by_one) {}

  result<exit_code> run();

 private:
  [[nodiscard]] std::size_t index_of(const tracked_job& job) const {
    return static_cast<std::size_t>(&job - awaited_.jobs.jobs().data());
  }
  [[nodiscard]] bool is_done() const {
    return settled_ == told_.size() || (options_.any && settled_ > 0);
  }
  void settle(const tracked_job& job);
  void print(const tracked_job& job);
  result<follow_end> follow(waiting_line& line);
  exit_code outcome() const;

  session& s_;
  client& server_;
  awaited_jobs& awaited_;
  const wait_options& options_;
  std::vector<bool> told_;
  bool one_by_one_;
  std::size_t settled_ = 0;
  std::size_t bad_ends_ = 0;
  std::optional<exit_code> first_outcome_;
};

void waiting::print(const tracked_job& job) {
  if (options_.lines == wait_lines::none) return;
  const bool bad = exit_code_of(job.state) != exit_code::success;
  if (!one_by_one_ && (!bad || ++bad_ends_ > bad_ends_shown)) return;
  if (s_.as == format::name) {
    s_.out.print_line("job/" + job.id.str());
  } else {
    auto line = fmt::format("job/{} {}", job.id.text(),
                            s_.out.paint(state_name(job.state), state_look(job.state)));
    if (bad && !job.reason.empty()) line += fmt::format(" ({})", escaped(job.reason));
    s_.out.print_line(line);
  }
  s_.out.flush();
}

void waiting::settle(const tracked_job& job) {
  if (!is_settled(job, options_.goal) || told_[index_of(job)]) return;
  told_[index_of(job)] = true;
  ++settled_;
  if (!first_outcome_) first_outcome_ = outcome_of(job, options_.goal);
  print(job);
}

exit_code waiting::outcome() const {
  if (options_.any) return first_outcome_.value_or(exit_code::success);
  for (const auto& job : awaited_.jobs.jobs())
    if (const auto code = outcome_of(job, options_.goal); code != exit_code::success) return code;
  return exit_code::success;
}

result<follow_end> waiting::follow(waiting_line& line) {
  follow_options follow;
  follow.job_sets = awaited_.job_sets;
  follow.from = options_.from;
  follow.early = true;
  follow.deadline = s_.deadline();
  follow.done = [this] { return is_done(); };
  follow.meanwhile = [&](bool away) { line.tick(away); };
  follow.on_event = [this](const auto&, const event_text&, const tracked_job* changed) {
    if (changed != nullptr) settle(*changed);
  };
  return follow_jobs(s_, server_, awaited_.jobs, follow);
}

result<exit_code> waiting::run() {
  for (const auto& job : awaited_.jobs.jobs()) settle(job);
  if (!is_done()) {
    waiting_line line{s_, server_, awaited_.jobs,
                      [this](const tracked_job& job) { return !told_[index_of(job)]; },
                      [this](const tracked_job& job) { settle(job); }};
    const auto end = follow(line);
    if (!end) return fail(end.error());
    if (*end == follow_end::timed_out) s_.out.error_line("timed out: " + line.text());
    if (*end != follow_end::done) {
      if (!options_.goes_on.empty()) s_.out.notice(options_.goes_on);
      return *end == follow_end::timed_out ? exit_code::timed_out : exit_code::interrupted;
    }
  }
  if (!one_by_one_ && options_.lines == wait_lines::few) {
    if (bad_ends_ > bad_ends_shown)
      s_.out.print_line(
          fmt::format("and {} more; -v prints a line for every job", bad_ends_ - bad_ends_shown));
    s_.out.print_line(summary(awaited_.jobs));
  }
  return outcome();
}

}  // namespace

void awaited_jobs::add(const argosy::v1::JobSummary& job) {
  jobs.expect(job);
  if (!is_over(job.state())) job_sets.emplace(job.queue(), job.job_set());
}

void awaited_jobs::add(const job_reference& id, const job_set_name& set) {
  jobs.expect(id);
  job_sets.insert(set);
}

result<exit_code> wait_for_jobs(session& s, client& server, awaited_jobs& awaited,
                                const wait_options& options) {
  return waiting{s, server, awaited, options}.run();
}

}  // namespace argosy::ctl
