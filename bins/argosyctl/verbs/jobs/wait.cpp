// SPDX-License-Identifier: Apache-2.0
// wait JOB… | -q QUEUE [--jobset SET]: ends as soon as every job has reached the goal or is over.
#include <fmt/format.h>

#include <algorithm>

#include "bins/argosyctl/client/job_list.hpp"
#include "bins/argosyctl/output/human.hpp"
#include "bins/argosyctl/verbs/command.hpp"
#include "bins/argosyctl/verbs/jobs/follow.hpp"
#include "bins/argosyctl/verbs/listing.hpp"
#include "bins/argosyctl/verbs/queues/queue_names.hpp"

namespace argosy::ctl {

namespace {

using argosy::v1::JobSummary;

constexpr std::chrono::milliseconds answer_time_min{5'000};

class wait_command final : public command {
 public:
  explicit wait_command(CLI::App& app) {
    app.add_option("jobs", words_, "Ids or their beginnings, @last, or - for stdin")
        ->type_name("JOB");
    app.add_option("-q,--queue", queue_, "All jobs of this queue that have not ended")
        ->type_name("QUEUE");
    app.add_option("--jobset", job_set_, "All jobs of this job set; needs --queue")
        ->type_name("SET");
    app.add_option("--for", goal_,
                   "done, scheduled, running, succeeded, failed or any; a job that is over ends "
                   "the wait in any case")
        ->type_name("GOAL")
        ->capture_default_str();
    app.add_option("--timeout", timeout_, "Give up after this time, with exit code 124")
        ->type_name("DURATION");
    auto* all = app.add_flag("--all", all_, "Wait for all jobs (default)");
    app.add_flag("--any", any_, "Wait for one of the jobs")->excludes(all);
  }
  std::vector<std::string> formats() const override { return {"table", "name", "json"}; }
  std::string_view completes() const override { return "jobs"; }
  result<exit_code> run(session& s) override;

 private:
  result<std::vector<JobSummary>> find(session& s, client& server) const;

  std::vector<std::string> words_;
  std::string queue_;
  std::string job_set_;
  std::string goal_ = "done";
  std::string timeout_;
  bool all_ = false;
  bool any_ = false;
};

result<std::vector<JobSummary>> wait_command::find(session& s, client& server) const {
  if (!words_.empty()) {
    auto references = expand_references(words_, s.env, s.in);
    if (!references) return fail(std::move(references.error()));
    return resolve_jobs(server, *references);
  }
  argosy::v1::ListJobsRequest request;
  request.set_queue(queue_);
  request.set_job_set(job_set_);
  request.set_active_only(job_set_.empty());
  auto jobs = list_jobs(server, request);
  if (jobs && jobs->empty())
    if (auto known = check_queue(server, queue_); !known) return fail(std::move(known.error()));
  if (jobs && jobs->empty() && !job_set_.empty())
    return fail(ec::not_found,
                fmt::format("queue '{}' has no job set '{}' with jobs", queue_, job_set_));
  return jobs;
}

result<exit_code> wait_command::run(session& s) {
  if (words_.empty() == queue_.empty())
    return fail(ec::invalid_argument, "name the jobs to wait for, or a queue with --queue");
  if (!job_set_.empty() && queue_.empty())
    return fail(ec::invalid_argument, "--jobset needs --queue: job sets belong to a queue");
  auto goal = parse_goal(goal_);
  if (!goal) return fail(ec::invalid_argument, "--for: " + goal.error().detail);
  wait_options options;
  options.goal = *goal;
  options.any = any_;
  options.print = s.as != format::json;
  options.show_progress = true;
  if (!timeout_.empty()) {
    auto timeout = parse_duration(timeout_);
    if (!timeout) return fail(ec::invalid_argument, "--timeout: " + timeout.error().detail);
    options.timeout = *timeout;
    // A server that is away is not waited for much longer; one that is slow still gets to answer.
    s.timeout = std::min(s.timeout, std::max(*timeout, answer_time_min));
  }
  s.patient = true;
  auto server = s.server();
  if (!server) return fail(std::move(server.error()));
  auto jobs = find(s, **server);
  if (!jobs) return fail(std::move(jobs.error()));
  if (jobs->empty()) s.out.notice("there is no job to wait for");
  auto code = wait_for_jobs(s, **server, *jobs, options);
  if (code && *code != exit_code::interrupted && s.as == format::json) {
    std::vector<std::string> ids;
    for (const auto& job : *jobs) ids.push_back(job.job_id());
    if (auto shown = show_job_details(s, **server, ids, false); !shown)
      return fail(std::move(shown.error()));
  }
  return code;
}

}  // namespace

void define_wait(CLI::App& app, command_set& commands) {
  define_verb<wait_command>(app, commands);
}

}  // namespace argosy::ctl
