// SPDX-License-Identifier: Apache-2.0
// cancel: jobs by id, or a whole job set.
#include <fmt/format.h>

#include "bins/argosyctl/verbs/command.hpp"
#include "bins/argosyctl/verbs/jobs/job_selection.hpp"
#include "google/protobuf/empty.pb.h"

namespace argosy::ctl {

namespace {

using argosy::v1::JobSummary;

constexpr std::size_t reason_size_max = 50;

class cancel_command final : public command {
 public:
  explicit cancel_command(CLI::App& app) {
    selection_.add_options(app, "Cancel");
    app.add_option("--reason", reason_, "Kept with the jobs, at most 50 bytes")->type_name("TEXT");
    app.add_flag("--wait", wait_, "Return when the jobs have ended");
  }
  std::vector<std::string> formats() const override { return {"table", "name"}; }
  std::string_view completes() const override { return "jobs"; }
  result<exit_code> run(session& s) override;

 private:
  result<exit_code> cancel_set(session& s, client& server, const std::vector<JobSummary>& jobs);
  result<exit_code> cancel_jobs(session& s, client& server, const std::vector<JobSummary>& jobs);

  job_selection selection_;
  std::string reason_;
  bool wait_ = false;
};

result<exit_code> cancel_command::cancel_set(session& s, client& server,
                                             const std::vector<JobSummary>& jobs) {
  api::JobSetCancelRequest request;
  request.set_queue(selection_.queue());
  request.set_job_set_id(selection_.job_set());
  request.set_reason(reason_);
  auto done = call<google::protobuf::Empty>(server, "Submit.CancelJobSet", request);
  if (!done) return fail(std::move(done.error()));
  if (jobs.empty())
    s.out.notice(fmt::format("job set '{}' has no jobs to cancel", selection_.job_set()));
  return exit_code::success;
}

result<exit_code> cancel_command::cancel_jobs(session& s, client& server,
                                              const std::vector<JobSummary>& jobs) {
  return send_each(s, batches_of(jobs), [&](const job_batch& batch) -> result<void> {
    api::JobCancelRequest request;
    request.set_queue(batch.set.first);
    request.set_job_set_id(batch.set.second);
    request.set_reason(reason_);
    request.mutable_job_ids()->Assign(batch.ids.begin(), batch.ids.end());
    auto done = call<api::CancellationResult>(server, "Submit.CancelJobs", request);
    if (!done) return fail(std::move(done.error()));
    return {};
  });
}

result<exit_code> cancel_command::run(session& s) {
  selection_.read_armada_spelling();
  if (reason_.size() > reason_size_max)
    return fail(ec::invalid_argument, fmt::format("--reason has {} bytes; at most {} are kept",
                                                  reason_.size(), reason_size_max));
  if (auto valid = selection_.check(); !valid) return fail(std::move(valid.error()));
  auto server = s.server();
  if (!server) return fail(std::move(server.error()));
  auto jobs = selection_.find(s, **server);
  if (!jobs) return fail(std::move(jobs.error()));
  auto done =
      selection_.is_set() ? cancel_set(s, **server, *jobs) : cancel_jobs(s, **server, *jobs);
  if (!done || *done != exit_code::success) return done;
  print_changed(s, *jobs, "cancelled");
  if (!wait_) return done;
  wait_options options;
  options.goal = wait_goal::any;
  options.print = false;
  options.show_progress = true;
  return wait_for_jobs(s, **server, *jobs, options);
}

}  // namespace

void define_cancel(CLI::App& app, command_set& commands) {
  define_verb<cancel_command>(app, commands);
}

}  // namespace argosy::ctl
