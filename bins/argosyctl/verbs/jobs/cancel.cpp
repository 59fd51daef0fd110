// SPDX-License-Identifier: Apache-2.0
// The verb cancel: cancels jobs by id, a whole job set, or what a queue, cluster or node has.
#include <fmt/format.h>

#include "bins/argosyctl/follow/wait.hpp"
#include "bins/argosyctl/verbs/command.hpp"
#include "bins/argosyctl/verbs/jobs/job_selection.hpp"
#include "bins/argosyctl/verbs/jobs/operation_call.hpp"
#include "bins/argosyctl/verbs/jobs/wide_selection.hpp"
#include "google/protobuf/empty.pb.h"

namespace argosy::ctl {

namespace {

class cancel_command final : public command {
 public:
  explicit cancel_command(CLI::App& app) {
    app.footer(
        "argosyctl cancel 01k9x2 --reason \"wrong input\"\n"
        "argosyctl cancel -q team-a --jobset nightly --wait\n"
        "argosyctl cancel -q team-a --state queued --dry-run\n"
        "argosyctl cancel --node east-1/n7 --yes\n"
        "argosyctl get jobs --state queued -o name | argosyctl cancel -");
    selection_.add_options(app, "Cancel", "all its jobs");
    wide_.add_options(app);
    app.add_flag("--dry-run", dry_run_, "Only say how many jobs it would be");
    app.add_option("--reason", reason_, "Kept with the jobs, at most 50 bytes")->type_name("TEXT");
    app.add_flag("--wait", wait_, "Return when the jobs have ended");
  }
  std::vector<std::string> formats() const override { return {"table", "name"}; }
  std::string_view completes() const override { return "jobs"; }
  bool waits() const override { return wait_; }
  std::string_view timeout_help() const override { return waiting_timeout_help; }
  result<exit_code> run(session& s) override;

 private:
  result<exit_code> cancel_set(session& s, client& server, job_roll& jobs);
  result<exit_code> cancel_jobs(session& s, client& server, job_roll& jobs);
  result<exit_code> cancel_all(session& s, client& server, job_roll& jobs);
  [[nodiscard]] result<void> check();
  result<exit_code> wait(session& s, client& server, const job_roll& jobs, const std::string& from);
  void tell(session& s, const job_roll& jobs) const;

  job_selection selection_;
  wide_selection wide_{wide_selection::ending::cancel};
  std::string reason_;
  bool wait_ = false;
  bool dry_run_ = false;
};

result<exit_code> cancel_command::cancel_set(session& s, client& server, job_roll& jobs) {
  api::JobSetCancelRequest request;
  request.set_queue(selection_.queue());
  request.set_job_set_id(selection_.job_set());
  request.set_reason(reason_);
  auto done = call_operation<google::protobuf::Empty>(s, server, "Submit.CancelJobSet", request);
  if (!done) return fail(std::move(done.error()));
  for (auto& job : jobs.jobs()) job.changed = true;
  if (jobs.jobs().empty()) return selection_.tell_nothing(s, server, "cancel", "cancelled");
  return exit_code::success;
}

result<exit_code> cancel_command::cancel_jobs(session& s, client& server, job_roll& jobs) {
  return send_in_batches(
      s, jobs, [&](const job_set_name& set, const std::vector<std::string>& ids) -> result<void> {
        api::JobCancelRequest request;
        request.set_queue(set.first);
        request.set_job_set_id(set.second);
        request.set_reason(reason_);
        request.mutable_job_ids()->Assign(ids.begin(), ids.end());
        auto done = call<api::CancellationResult>(server, "Submit.CancelJobs", request);
        if (!done) return fail(std::move(done.error()));
        return {};
      });
}

/// Cancels what a queue, a cluster or a node has.
result<exit_code> cancel_command::cancel_all(session& s, client& server, job_roll& jobs) {
  auto done = wide_.send(s, server);
  if (!done) return done;
  for (auto& job : jobs.jobs()) job.changed = true;
  return done;
}

/// Says that jobs that run are stopped first, and are listed as running until then.
void cancel_command::tell(session& s, const job_roll& jobs) const {
  print_changed(s, jobs, "asked to cancel");
  const auto started = jobs.changed_and_started();
  if (started == 0 || wait_) return;
  const auto begin = fmt::format("{} of them had started and {} being stopped; ", started,
                                 started == 1 ? "is" : "are");
  s.out.hint(wide_.is_given()
                 ? begin + "see what is left with: " + wide_.list_again()
                 : begin + fmt::format("wait for {} end with: argosyctl wait {}",
                                       started == 1 ? "its" : "their", selection_.words_again()));
}

result<exit_code> cancel_command::wait(session& s, client& server, const job_roll& jobs,
                                       const std::string& from) {
  awaited_jobs awaited;
  for (const auto& job : jobs.jobs()) awaited.add(job.id, jobs.sets()[job.set]);
  wait_options options;
  options.goal = wait_goal::any;
  options.lines = wait_lines::none;
  options.from = from;
  options.goes_on =
      wide_.is_given()
          ? "the jobs are still being cancelled; see what is left with: " + wide_.list_again()
          : "the jobs are still being cancelled; wait for them with: argosyctl wait " +
                selection_.words_again();
  return wait_for_jobs(s, server, awaited, options);
}

result<void> cancel_command::check() {
  selection_.read_armada_spelling();
  if (auto fits = check_reason(reason_); !fits) return fits;
  if (auto settled = wide_.settle(selection_); !settled) return settled;
  if (!wide_.is_given()) return selection_.check();
  if (reason_.empty()) return {};
  return fail(ec::invalid_argument, "--reason is kept with jobs and job sets that are named");
}

result<exit_code> cancel_command::run(session& s) {
  if (auto valid = check(); !valid) return fail(std::move(valid.error()));
  auto server = s.server();
  if (!server) return fail(std::move(server.error()));
  const auto from = wait_ ? present_position(**server) : result<std::string>{std::string{}};
  auto jobs = wide_.is_given() ? wide_.find(**server) : selection_.find(s, **server);
  if (!jobs) return fail(std::move(jobs.error()));
  if (dry_run_ && selection_.is_set() && !wide_.is_given() && jobs->jobs().empty())
    return selection_.tell_nothing(s, **server, "cancel", "cancelled");
  if (dry_run_) {
    print_would(s, *jobs, "cancel");
    return exit_code::success;
  }
  if (wide_.is_given()) {
    const auto wanted = wide_.confirm(s, *jobs);
    if (!wanted) return fail(wanted.error());
    if (!*wanted) return exit_code::interrupted;
  }
  auto done = wide_.is_given()      ? cancel_all(s, **server, *jobs)
              : selection_.is_set() ? cancel_set(s, **server, *jobs)
                                    : cancel_jobs(s, **server, *jobs);
  if (!done) return done;
  if (!jobs->jobs().empty() || wide_.is_given()) tell(s, *jobs);
  if (*done != exit_code::success || !wait_) return done;
  return wait(s, **server, *jobs, from ? *from : std::string{});
}

}  // namespace

void define_cancel(CLI::App& app, command_set& commands) {
  define_verb<cancel_command>(app, commands);
}

}  // namespace argosy::ctl
