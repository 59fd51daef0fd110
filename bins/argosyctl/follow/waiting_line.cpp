// SPDX-License-Identifier: Apache-2.0
#include "bins/argosyctl/follow/waiting_line.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <mutex>
#include <optional>

namespace argosy::ctl {

namespace {

using namespace std::chrono_literals;
using api::JobState;
using std::chrono::steady_clock;

constexpr std::size_t jobs_looked_at = 100;
constexpr auto question_period = 2s;
constexpr auto status_period = 100ms;
constexpr auto pause_min = 10s;
constexpr auto pause_max = 10min;

std::string silent_text(const argosy::v1::JobSummary& job) {
  return fmt::format("cluster '{}', where it runs, is silent", job.cluster());
}

}  // namespace

/// A question that is under way. Its answers come on any thread.
struct waiting_line::question {
  std::mutex guard;
  std::optional<result<std::string>> jobs;
  std::optional<result<std::string>> description;
};

waiting_line::waiting_line(session& s, client& server, job_tracker& jobs,
                           std::function<bool(const tracked_job&)> is_open,
                           std::function<void(const tracked_job&)> on_change)
    : s_(s),
      server_(server),
      jobs_(jobs),
      is_open_(std::move(is_open)),
      on_change_(std::move(on_change)),
      next_question_(steady_clock::now()),
      next_words_(next_question_),
      pause_(pause_min) {
  if (!s_.out.where().err_is_terminal) next_words_ += pause_min;
}

waiting_line::~waiting_line() {
  s_.out.status("");
}

/// Asks about some of the jobs that wait: why they do, and whether they have ended unseen.
void waiting_line::ask() {
  argosy::v1::ListJobsRequest request;
  for (const auto& job : jobs_.jobs()) {
    if (request.id_prefixes_size() == static_cast<int>(jobs_looked_at)) break;
    if (is_open_(job)) request.add_id_prefixes(job.id.str());
  }
  if (request.id_prefixes_size() == 0) return;
  asked_ = std::make_shared<question>();
  server_.start("Query.ListJobs", request.SerializeAsString(),
                [asked = asked_](result<std::string> answer) {
                  const std::lock_guard lock{asked->guard};
                  asked->jobs = std::move(answer);
                });
}

void waiting_line::take_answers() {
  if (!asked_) return;
  const auto asked = asked_;
  std::unique_lock lock{asked->guard};
  if (asked->description) {
    const auto about = asked->description->has_value()
                           ? decoded<argosy::v1::DescribeJobResponse>("", **asked->description)
                           : result<argosy::v1::DescribeJobResponse>{fail(ec::none, "")};
    if (about && !about->reason_lines().empty()) reason_ = about->reason_lines(0);
    asked_.reset();
    return;
  }
  if (!asked->jobs) return;
  const auto answer = std::exchange(asked->jobs, std::nullopt);
  lock.unlock();
  const auto page = answer->has_value() ? decoded<argosy::v1::ListJobsResponse>("", **answer)
                                        : result<argosy::v1::ListJobsResponse>{fail(ec::none, "")};
  if (!page) {
    asked_.reset();
    return;
  }
  struct waiting_jobs {
    std::size_t count = 0;
    std::string id;  ///< One of them.
    JobState state = JobState::QUEUED;
  };
  std::map<std::string, waiting_jobs> reasons;
  for (const auto& job : page->jobs()) {
    if (const auto* changed = jobs_.refresh(job)) on_change_(*changed);
    const bool is_told = job.state() == JobState::PENDING && !job.reason().empty();
    if (job.state() != JobState::QUEUED && !job.cluster_silent() && !is_told) continue;
    auto& same = reasons[job.cluster_silent() ? silent_text(job) : job.reason()];
    ++same.count;
    same.id = job.job_id();
    same.state = job.state();
  }
  const auto most = std::max_element(
      reasons.begin(), reasons.end(),
      [](const auto& a, const auto& b) { return a.second.count < b.second.count; });
  reason_ = most == reasons.end() ? std::string{} : most->first;
  if (most == reasons.end()) {
    asked_.reset();
    return;
  }
  reason_state_ = most->second.state;
  argosy::v1::DescribeJobRequest request;
  request.set_job_id(most->second.id);
  server_.start("Query.DescribeJob", request.SerializeAsString(),
                [asked](result<std::string> described) {
                  const std::lock_guard inner{asked->guard};
                  asked->description = std::move(described);
                });
}

/// What was said of jobs that have left their state meanwhile is not true any more.
bool waiting_line::has_reason() const {
  return !reason_.empty() && jobs_.count(reason_state_) != 0;
}

std::string waiting_line::text() const {
  std::map<JobState, std::size_t> open;
  std::size_t count = 0;
  for (const auto& job : jobs_.jobs())
    if (is_open_(job)) {
      ++open[job.state];
      ++count;
    }
  const auto why = has_reason() ? ": " + reason_ : std::string{};
  if (jobs_.jobs().size() == 1)
    return jobs_.jobs().front().is_known
               ? fmt::format("the job is still {}{}", state_name(jobs_.jobs().front().state), why)
               : "the job has not come that far yet";
  std::string states;
  for (const auto state :
       {JobState::RUNNING, JobState::PENDING, JobState::LEASED, JobState::QUEUED})
    if (const auto n = open[state]; n != 0)
      states += fmt::format("{}{} {}", states.empty() ? "" : ", ", n, state_name(state));
  return fmt::format("{} of {} jobs have not come that far yet ({}{})", count, jobs_.jobs().size(),
                     states, why);
}

void waiting_line::say(steady_clock::time_point now, bool away) {
  if (s_.out.where().err_is_terminal) {
    next_words_ = now + status_period;
    const auto why = has_reason() ? " · waiting: " + reason_ : std::string{};
    s_.out.status(away ? "the server is away; waiting for it…" : progress_text(jobs_) + why);
    return;
  }
  auto words = away ? std::string{"the server is away; waiting for it"} : text();
  pause_ = words == said_ ? std::min<steady_clock::duration>(2 * pause_, pause_max) : pause_min;
  next_words_ = now + pause_;
  s_.out.notice(words);
  said_ = std::move(words);
}

void waiting_line::tick(bool away) {
  const auto now = steady_clock::now();
  take_answers();
  if (!asked_ && !away && now >= next_question_) {
    next_question_ = now + question_period;
    ask();
  }
  if (now >= next_words_) say(now, away);
}

}  // namespace argosy::ctl
