// SPDX-License-Identifier: Apache-2.0
#include "bins/argosyctl/verbs/jobs/follow.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "bins/argosyctl/client/job_set_feed.hpp"
#include "runtime/base/suggest.hpp"
#include "bins/argosyctl/output/text.hpp"

namespace argosy::ctl {

namespace {

using namespace std::chrono_literals;
using api::JobState;
using std::chrono::milliseconds;
using std::chrono::steady_clock;

constexpr std::size_t job_sets_max = 256;
constexpr milliseconds poll_period{250};
constexpr milliseconds status_period{100};

/// One call of follow_jobs().
class follower {
 public:
  follower(session& s, client& server, job_tracker& jobs, const follow_options& options)
      : s_(s), server_(server), jobs_(jobs), options_(options) {}

  result<follow_end> run();

 private:
  feed_request request_for(const job_set_name& set, const std::string& from, bool follow) const;
  result<std::optional<follow_end>> catch_up();
  result<std::optional<follow_end>> poll(job_set_feed& feed, milliseconds wait);
  void take(const api::EventStreamMessage& event, bool pass_on);
  std::optional<follow_end> stopped() const;
  void show_status();

  session& s_;
  client& server_;
  job_tracker& jobs_;
  const follow_options& options_;
  std::vector<job_set_feed> feeds_;
  steady_clock::time_point shown_{};
};

feed_request follower::request_for(const job_set_name& set, const std::string& from,
                                   bool follow) const {
  feed_request request;
  request.queue = set.first;
  request.job_set = set.second;
  request.from = from;
  request.follow = follow;
  request.error_if_missing = !follow;
  request.patience = s_.timeout;
  return request;
}

std::optional<follow_end> follower::stopped() const {
  if (s_.should_stop()) return follow_end::interrupted;
  if (options_.deadline && steady_clock::now() >= *options_.deadline) return follow_end::timed_out;
  return std::nullopt;
}

void follower::show_status() {
  const auto now = steady_clock::now();
  if (!options_.show_progress || now - shown_ < status_period) return;
  shown_ = now;
  s_.out.status(progress_text(jobs_));
}

void follower::take(const api::EventStreamMessage& event, bool pass_on) {
  const auto text = describe_event(event.message());
  if (options_.all_jobs && !text.job_id.empty()) jobs_.expect(text.job_id);
  const auto* changed = jobs_.apply(text);
  if (pass_on && options_.on_event && jobs_.follows(text.job_id))
    options_.on_event(event, text, changed);
}

result<std::optional<follow_end>> follower::catch_up() {
  for (const auto& set : options_.job_sets) {
    job_set_feed past{server_, request_for(set, options_.from, false)};
    api::EventStreamMessage event;
    while (true) {
      auto got = past.next(event, poll_period);
      if (!got) return fail(std::move(got.error()));
      if (*got == stream_reader::event::finished) break;
      if (*got == stream_reader::event::item) take(event, !options_.only_new);
      if (options_.early && options_.done()) return std::optional{follow_end::done};
      if (auto end = stopped()) return end;
      show_status();
    }
    feeds_.emplace_back(server_, request_for(set, past.position(), true));
  }
  return std::optional<follow_end>{};
}

result<std::optional<follow_end>> follower::poll(job_set_feed& feed, milliseconds wait) {
  api::EventStreamMessage event;
  auto got = feed.next(event, wait);
  for (int i = 0; i < 1'000 && got && *got == stream_reader::event::item; ++i) {
    take(event, true);
    if (options_.done()) return std::optional{follow_end::done};
    got = feed.next(event, 0ms);
  }
  if (!got) return fail(std::move(got.error()));
  if (*got == stream_reader::event::finished)
    return fail(ec::unavailable,
                fmt::format("the server ended the events of job set '{}'", feed.request().job_set));
  return std::optional<follow_end>{};
}

result<follow_end> follower::run() {
  if (options_.job_sets.size() > job_sets_max)
    return fail(ec::invalid_argument, fmt::format("the jobs are in {} job sets; at most {} can be "
                                                  "followed at once",
                                                  options_.job_sets.size(), job_sets_max));
  auto end = catch_up();
  if (!end) return fail(std::move(end.error()));
  if (*end) return **end;
  if (options_.done()) return follow_end::done;
  const auto share =
      std::max<milliseconds>(1ms, poll_period / std::max<std::size_t>(1, feeds_.size()));
  while (true)
    for (auto& feed : feeds_) {
      auto wait = share;
      if (options_.deadline)
        wait = std::clamp(
            std::chrono::duration_cast<milliseconds>(*options_.deadline - steady_clock::now()), 1ms,
            share);
      end = poll(feed, wait);
      if (!end) return fail(std::move(end.error()));
      if (*end) return **end;
      if (auto stop = stopped()) return *stop;
      show_status();
    }
}

}  // namespace

result<follow_end> follow_jobs(session& s, client& server, job_tracker& jobs,
                               const follow_options& options) {
  auto end = follower{s, server, jobs, options}.run();
  s.out.status("");
  return end;
}

result<wait_goal> parse_goal(const std::string& name) {
  for (std::size_t i = 0; i < goal_names.size(); ++i)
    if (goal_names[i] == name) return static_cast<wait_goal>(i);
  return fail(ec::invalid_argument,
              fmt::format("'{}' cannot be waited for; write done, scheduled, running, succeeded, "
                          "failed or any{}",
                          name, did_you_mean(name, goal_names)));
}

bool is_settled(const tracked_job& job, wait_goal goal) {
  return is_over(job.state) || (goal == wait_goal::scheduled && job.was_scheduled) ||
         (goal == wait_goal::running && job.was_running);
}

exit_code outcome_of(const tracked_job& job, wait_goal goal) {
  switch (goal) {
    case wait_goal::any:
      return exit_code::success;
    case wait_goal::scheduled:
      return job.was_scheduled ? exit_code::success : exit_code_of(job.state);
    case wait_goal::running:
      return job.was_running ? exit_code::success : exit_code_of(job.state);
    case wait_goal::failed:
      if (job.state == JobState::FAILED) return exit_code::success;
      return job.state == JobState::SUCCEEDED ? exit_code::conflict : exit_code_of(job.state);
    case wait_goal::done:
    case wait_goal::succeeded:
      break;
  }
  return exit_code_of(job.state);
}

void print_settled(session& s, const tracked_job& job) {
  if (s.as == format::name) {
    s.out.print_line("job/" + job.id);
  } else {
    auto line =
        fmt::format("job/{} {}", job.id, s.out.paint(state_name(job.state), state_look(job.state)));
    if (is_over(job.state) && job.state != JobState::SUCCEEDED && !job.reason.empty())
      line += fmt::format(" ({})", escaped(job.reason));
    s.out.print_line(line);
  }
  s.out.flush();
}

result<exit_code> wait_for_jobs(session& s, client& server,
                                const std::vector<argosy::v1::JobSummary>& jobs,
                                const wait_options& options) {
  job_tracker tracker;
  follow_options follow;
  std::size_t settled = 0;
  std::set<std::string> told;
  const tracked_job* first = nullptr;
  exit_code first_outcome = exit_code::success;
  const auto settle = [&](const tracked_job& job) {
    if (!is_settled(job, options.goal) || !told.insert(job.id).second) return;
    ++settled;
    if (first == nullptr) first_outcome = outcome_of(job, options.goal);
    first = &job;
    if (options.print) print_settled(s, job);
  };
  for (const auto& job : jobs) tracker.expect(job);
  for (const auto& job : jobs) {
    if (is_over(job.state())) continue;
    follow.job_sets.emplace(job.queue(), job.job_set());
  }
  for (const auto& job : tracker.jobs()) settle(job);
  follow.done = [&] { return settled == tracker.jobs().size() || (options.any && settled > 0); };
  follow.early = true;
  follow.show_progress = options.show_progress;
  follow.on_event = [&](const auto&, const event_text&, const tracked_job* changed) {
    if (changed != nullptr) settle(*changed);
  };
  if (options.timeout) follow.deadline = steady_clock::now() + *options.timeout;
  if (!follow.done()) {
    const auto end = follow_jobs(s, server, tracker, follow);
    if (!end) return fail(end.error());
    if (*end == follow_end::interrupted) return exit_code::interrupted;
    if (*end == follow_end::timed_out) {
      s.out.error_line(fmt::format("timed out: {} of {} jobs are not there yet",
                                   tracker.jobs().size() - settled, tracker.jobs().size()));
      return exit_code::timed_out;
    }
  }
  if (options.any) return first_outcome;
  for (const auto& job : tracker.jobs())
    if (const auto code = outcome_of(job, options.goal); code != exit_code::success) return code;
  return exit_code::success;
}

}  // namespace argosy::ctl
