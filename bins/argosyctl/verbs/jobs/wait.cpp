// SPDX-License-Identifier: Apache-2.0
// The verb wait JOB…
// -q QUEUE [--jobset SET]: ends as soon as every job has reached the goal or is over.
#include "bins/argosyctl/follow/wait.hpp"

#include <fmt/format.h>

#include "bins/argosyctl/client/job_list.hpp"
#include "bins/argosyctl/verbs/command.hpp"
#include "bins/argosyctl/verbs/job_lists/job_details.hpp"
#include "bins/argosyctl/verbs/queues/queue_names.hpp"

namespace argosy::ctl {

namespace {

using argosy::v1::JobSummary;

class wait_command final : public command {
 public:
  explicit wait_command(CLI::App& app) {
    app.footer(
        "argosyctl wait @last\n"
        "argosyctl wait 01k9x2 --for=running --timeout 10m\n"
        "argosyctl get jobs -q team-a -o name | argosyctl wait -\n"
        "argosyctl wait --jobset nightly --quiet && echo all is well");
    app.add_option("jobs", words_, "Ids or their beginnings, @last, or - for stdin")
        ->type_name("JOB");
    app.add_option("-q,--queue", queue_, "All jobs of this queue that have not ended")
        ->type_name("QUEUE");
    app.add_option("--jobset", job_set_, "All jobs of this job set")->type_name("SET");
    app.add_option("--for", goal_,
                   "done, scheduled, running, succeeded, failed or any; a job that is over ends "
                   "the wait in any case")
        ->type_name("GOAL")
        ->capture_default_str();
    auto* all = app.add_flag("--all", all_, "Wait for all jobs (default)");
    app.add_flag("--any", any_, "Wait for one of the jobs")->excludes(all);
    auto* verbose = app.add_flag("-v,--verbose", verbose_, "Print a line for every job");
    app.add_flag("--quiet", quiet_, "Print nothing about the jobs")->excludes(verbose);
  }
  std::vector<std::string> formats() const override { return {"table", "name", "json"}; }
  std::string_view completes() const override { return "jobs"; }
  bool waits() const override { return true; }
  std::string_view timeout_help() const override { return waiting_timeout_help; }
  result<exit_code> run(session& s) override;

 private:
  result<void> find(session& s, client& server, awaited_jobs& out);
  result<void> find_set(client& server, awaited_jobs& out);
  [[nodiscard]] wait_options options(const session& s) const;

  std::vector<std::string> words_;
  std::string queue_;
  std::string job_set_;
  std::string goal_ = "done";
  bool all_ = false;
  bool any_ = false;
  bool verbose_ = false;
  bool quiet_ = false;
};

result<void> wait_command::find_set(client& server, awaited_jobs& out) {
  if (queue_.empty()) {
    auto queue = queue_of_job_set(server, job_set_);
    if (!queue) return fail(std::move(queue.error()));
    queue_ = std::move(*queue);
  }
  argosy::v1::ListJobsRequest request;
  request.set_queue(queue_);
  request.set_job_set(job_set_);
  request.set_active_only(job_set_.empty());
  auto listed = for_each_listed(server, request, [&](JobSummary& job) {
    out.add(job);
    return true;
  });
  if (!listed || !out.jobs.jobs().empty()) return listed;
  if (auto known = check_queue(server, queue_); !known) return known;
  if (job_set_.empty()) return {};
  return fail(ec::not_found,
              fmt::format("queue '{}' has no job set '{}' with jobs", queue_, job_set_));
}

result<void> wait_command::find(session& s, client& server, awaited_jobs& out) {
  if (words_.empty()) return find_set(server, out);
  const auto references = expand_references(words_, s.last_jobs(), s.in);
  if (!references) return fail(references.error());
  return for_each_resolved(server, *references, [&](JobSummary& job) {
    out.add(job);
    return !s.is_interrupted();
  });
}

wait_options wait_command::options(const session& s) const {
  wait_options options;
  options.goal = *parse_goal(goal_);
  options.any = any_;
  options.lines = verbose_ ? wait_lines::all : wait_lines::few;
  if (quiet_ || s.as == format::json) options.lines = wait_lines::none;
  options.goes_on = "the jobs go on; the same command waits for them again";
  return options;
}

result<exit_code> wait_command::run(session& s) {
  if (words_.empty() == (queue_.empty() && job_set_.empty()))
    return fail(ec::invalid_argument,
                words_.empty() ? "name the jobs to wait for, a queue with --queue or a job set "
                                 "with --jobset"
                               : "name either jobs or a job set, not both");
  if (const auto goal = parse_goal(goal_); !goal)
    return fail(ec::invalid_argument, "--for: " + goal.error().detail);
  s.patient = true;
  auto server = s.server();
  if (!server) return fail(std::move(server.error()));
  auto waited = options(s);
  // Events from here on are heard; what happened before is in the listing that follows.
  if (auto from = present_position(**server)) waited.from = std::move(*from);
  awaited_jobs jobs;
  if (auto found = find(s, **server, jobs); !found) return fail(std::move(found.error()));
  if (jobs.jobs.jobs().empty()) s.out.notice("there is no job to wait for");
  auto code = wait_for_jobs(s, **server, jobs, waited);
  if (code && *code != exit_code::interrupted && s.as == format::json && !quiet_) {
    std::vector<job_reference> ids;
    for (const auto& job : jobs.jobs.jobs()) ids.push_back(job.id);
    if (auto shown = print_details_of(s, **server, ids); !shown)
      return fail(std::move(shown.error()));
  }
  return code;
}

}  // namespace

void define_wait(CLI::App& app, command_set& commands) {
  define_verb<wait_command>(app, commands);
}

}  // namespace argosy::ctl
