// SPDX-License-Identifier: Apache-2.0
// The verb preempt: ends runs of preemptible jobs, so that their room is free for others.
#include <fmt/format.h>

#include <set>

#include "bins/argosyctl/client/job_list.hpp"
#include "bins/argosyctl/verbs/command.hpp"
#include "bins/argosyctl/verbs/jobs/job_selection.hpp"
#include "bins/argosyctl/verbs/jobs/wide_selection.hpp"

namespace argosy::ctl {

namespace {

class preempt_command final : public command {
 public:
  explicit preempt_command(CLI::App& app) {
    app.footer(
        "argosyctl preempt 01k9x2 --reason \"the node is needed\"\n"
        "argosyctl preempt -q team-a --jobset nightly\n"
        "argosyctl preempt --node east-1/n7 --yes\n"
        "argosyctl preempt -q team-a --priority-class batch --dry-run");
    selection_.add_options(app, "Preempt", "all its runs");
    wide_.add_options(app);
    app.add_flag("--dry-run", dry_run_, "Only say how many jobs it would be at most");
    app.add_option("--reason", reason_, "Kept with the jobs, at most 50 bytes")->type_name("TEXT");
  }
  std::vector<std::string> formats() const override { return {"table", "name"}; }
  std::string_view completes() const override { return "jobs"; }
  result<exit_code> run(session& s) override;

 private:
  /// Sends the ids of jobs of one set, and notes those that the server left alone.
  result<void> send(client& server, const job_set_name& set, const std::vector<std::string>& ids);

  result<exit_code> preempt_all(session& s, client& server, job_roll& jobs);
  [[nodiscard]] result<void> check();

  job_selection selection_;
  wide_selection wide_{wide_selection::ending::preempt};
  std::string reason_;
  bool dry_run_ = false;
  std::set<std::string> left_alone_;
};

result<void> preempt_command::send(client& server, const job_set_name& set,
                                   const std::vector<std::string>& ids) {
  api::JobPreemptRequest request;
  request.set_queue(set.first);
  request.set_job_set_id(set.second);
  request.set_reason(reason_);
  request.mutable_job_ids()->Assign(ids.begin(), ids.end());
  const auto done = call<api::PreemptionResult>(server, "Submit.PreemptJobs", request);
  if (!done) return fail(done.error());
  for (const auto& [id, why] : done->preemption_results())
    if (!why.empty()) left_alone_.insert(id);
  return {};
}

/// Preempts what a queue, a cluster or a node has. The server does not say which runs it left
/// alone, so that the jobs are looked at again.
result<exit_code> preempt_command::preempt_all(session& s, client& server, job_roll& jobs) {
  const auto wanted = wide_.confirm(s, jobs);
  if (!wanted) return fail(wanted.error());
  if (!*wanted) return exit_code::interrupted;
  auto done = wide_.send(s, server);
  if (!done || jobs.jobs().empty()) return done;
  std::vector<job_reference> ids;
  for (auto& job : jobs.jobs()) {
    ids.push_back(job.id);
    job.changed = true;
  }
  const auto looked = for_each_resolved(server, ids, [this](argosy::v1::JobSummary& job) {
    if (job.stopping() != "preempt" && job.state() != api::JobState::PREEMPTED)
      left_alone_.insert(job.job_id());
    return true;
  });
  if (!looked) return fail(looked.error());
  return done;
}

result<void> preempt_command::check() {
  selection_.read_armada_spelling();
  if (auto fits = check_reason(reason_); !fits) return fits;
  if (auto settled = wide_.settle(selection_); !settled) return settled;
  if (!wide_.is_given()) return selection_.check();
  if (reason_.empty()) return {};
  return fail(ec::invalid_argument, "--reason is kept with jobs and job sets that are named");
}

result<exit_code> preempt_command::run(session& s) {
  if (auto valid = check(); !valid) return fail(std::move(valid.error()));
  auto server = s.server();
  if (!server) return fail(std::move(server.error()));
  auto jobs = wide_.is_given() ? wide_.find(**server) : selection_.find(s, **server);
  if (!jobs) return fail(std::move(jobs.error()));
  if (!wide_.is_given() && selection_.is_set() && jobs->jobs().empty())
    return selection_.tell_nothing(s, **server, "preempt", "preempted");
  if (dry_run_) {
    print_would(s, *jobs, "preempt at most");
    return exit_code::success;
  }
  const auto done = wide_.is_given()
                        ? preempt_all(s, **server, *jobs)
                        : send_in_batches(s, *jobs, [&](const auto& set, const auto& ids) {
                            return send(**server, set, ids);
                          });
  if (!done || *done == exit_code::interrupted) return done;
  for (auto& job : jobs->jobs())
    if (left_alone_.contains(job.id.str())) job.changed = false;
  if (jobs->changed() == 0 && !left_alone_.empty())
    return fail(ec::conflict,
                "nothing was preempted: no job has a run that may be ended for others; a job that "
                "waits, or whose priority class is not preemptible, is ended by: argosyctl cancel");
  print_changed(s, *jobs, "preempted");
  if (!left_alone_.empty())
    s.out.notice(
        fmt::format("{} job{} left alone: without a run, being stopped already, or not preemptible",
                    left_alone_.size(), left_alone_.size() == 1 ? " was" : "s were"));
  return done;
}

}  // namespace

void define_preempt(CLI::App& app, command_set& commands) {
  define_verb<preempt_command>(app, commands);
}

}  // namespace argosy::ctl
