// SPDX-License-Identifier: Apache-2.0
// cancel: jobs by id, or a whole job set.
#include <fmt/format.h>

#include <algorithm>
#include <map>

#include "bins/argosyctl/client/job_list.hpp"
#include "bins/argosyctl/output/event_text.hpp"
#include "bins/argosyctl/verbs/command.hpp"
#include "bins/argosyctl/verbs/follow.hpp"
#include "bins/argosyctl/verbs/queue_names.hpp"
#include "google/protobuf/empty.pb.h"

namespace argosy::ctl {

namespace {

using argosy::v1::JobSummary;

constexpr std::size_t reason_size_max = 50;
constexpr std::size_t ids_per_request = 5'000;

class cancel_command final : public command {
 public:
  explicit cancel_command(CLI::App& app) {
    app.add_option("jobs", words_, "Ids or their beginnings, @last, or - for stdin")
        ->type_name("JOB");
    app.add_option("-q,--queue", queue_, "Queue of the job set")->type_name("QUEUE");
    app.add_option("--jobset", job_set_, "Cancel all jobs of this job set")->type_name("SET");
    app.add_option("--reason", reason_, "Kept with the jobs, at most 50 bytes")->type_name("TEXT");
    app.add_flag("--wait", wait_, "Return when the jobs have ended");
  }
  std::vector<std::string> formats() const override { return {"table", "name"}; }
  std::string_view completes() const override { return "jobs"; }
  result<exit_code> run(session& s) override;

 private:
  void read_armada_spelling();
  result<exit_code> cancel_set(session& s, client& server);
  result<exit_code> cancel_jobs(session& s, client& server);
  result<exit_code> finish(session& s, client& server, const std::vector<JobSummary>& jobs) const;

  std::vector<std::string> words_;
  std::string queue_;
  std::string job_set_;
  std::string reason_;
  bool wait_ = false;
};

/// `cancel job QUEUE SET ID` and `cancel job-set QUEUE SET`.
void cancel_command::read_armada_spelling() {
  if (words_.size() == 4 && words_[0] == "job") {
    words_ = {words_[3]};
  } else if (words_.size() == 3 && words_[0] == "job-set") {
    queue_ = words_[1];
    job_set_ = words_[2];
    words_.clear();
  }
}

/// Waits if that was asked for; the jobs were told to stop.
result<exit_code> cancel_command::finish(session& s, client& server,
                                         const std::vector<JobSummary>& jobs) const {
  if (!wait_) return exit_code::success;
  wait_options options;
  options.goal = wait_goal::any;
  options.print = false;
  options.show_progress = true;
  return wait_for_jobs(s, server, jobs, options);
}

void print_cancelled(session& s, const std::vector<JobSummary>& jobs) {
  if (s.as == format::name)
    for (const auto& job : jobs) s.out.print_line("job/" + job.job_id());
  else
    s.out.print_line(fmt::format("cancelled {} job{}", jobs.size(), jobs.size() == 1 ? "" : "s"));
  s.out.flush();
}

result<exit_code> cancel_command::cancel_set(session& s, client& server) {
  argosy::v1::ListJobsRequest list;
  list.set_queue(queue_);
  list.set_job_set(job_set_);
  list.set_active_only(true);
  auto jobs = list_jobs(server, list);
  if (!jobs) return fail(std::move(jobs.error()));
  if (jobs->empty())
    if (auto known = check_queue(server, queue_); !known) return fail(std::move(known.error()));
  api::JobSetCancelRequest request;
  request.set_queue(queue_);
  request.set_job_set_id(job_set_);
  request.set_reason(reason_);
  auto done = call<google::protobuf::Empty>(server, "Submit.CancelJobSet", request);
  if (!done) return fail(std::move(done.error()));
  if (jobs->empty()) s.out.notice(fmt::format("job set '{}' has no jobs to cancel", job_set_));
  print_cancelled(s, *jobs);
  return finish(s, server, *jobs);
}

result<exit_code> cancel_command::cancel_jobs(session& s, client& server) {
  auto references = expand_references(words_, s.env, s.in);
  if (!references) return fail(std::move(references.error()));
  auto jobs = resolve_jobs(server, *references);
  if (!jobs) return fail(std::move(jobs.error()));
  const auto over = static_cast<std::size_t>(
      std::erase_if(*jobs, [](const JobSummary& job) { return is_over(job.state()); }));
  if (over > 0) s.out.notice(fmt::format("{} job{} had ended already", over, over == 1 ? "" : "s"));
  std::map<job_set_name, std::vector<const JobSummary*>> sets;
  for (const auto& job : *jobs) sets[{job.queue(), job.job_set()}].push_back(&job);
  std::size_t requests = 0;
  for (const auto& [name, members] : sets)
    for (std::size_t first = 0; first < members.size(); first += ids_per_request) {
      api::JobCancelRequest request;
      request.set_queue(name.first);
      request.set_job_set_id(name.second);
      request.set_reason(reason_);
      for (auto i = first; i < std::min(members.size(), first + ids_per_request); ++i)
        request.add_job_ids(members[i]->job_id());
      auto done = call<api::CancellationResult>(server, "Submit.CancelJobs", request);
      if (!done && requests > 0) {
        s.out.error_line(done.error().detail);
        return exit_code::partial;
      }
      if (!done) return fail(std::move(done.error()));
      ++requests;
    }
  print_cancelled(s, *jobs);
  return finish(s, server, *jobs);
}

result<exit_code> cancel_command::run(session& s) {
  read_armada_spelling();
  if (reason_.size() > reason_size_max)
    return fail(ec::invalid_argument, fmt::format("--reason has {} bytes; at most {} are kept",
                                                  reason_.size(), reason_size_max));
  const bool set = !queue_.empty() || !job_set_.empty();
  if (set && !words_.empty())
    return fail(ec::invalid_argument, "name either jobs or a job set, not both");
  if (set && (queue_.empty() || job_set_.empty()))
    return fail(ec::invalid_argument, "a job set is named by --queue and --jobset together");
  if (!set && words_.empty())
    return fail(ec::invalid_argument,
                "name the jobs to cancel, or a job set with --queue and --jobset");
  auto server = s.server();
  if (!server) return fail(std::move(server.error()));
  return set ? cancel_set(s, **server) : cancel_jobs(s, **server);
}

}  // namespace

void define_cancel(CLI::App& app, command_set& commands) {
  define_verb<cancel_command>(app, commands);
}

}  // namespace argosy::ctl
