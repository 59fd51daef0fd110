// SPDX-License-Identifier: Apache-2.0
// The verb preempt: ends runs of preemptible jobs, so that their room is free for others.
#include <fmt/format.h>

#include <set>

#include "bins/argosyctl/verbs/command.hpp"
#include "bins/argosyctl/verbs/jobs/job_selection.hpp"

namespace argosy::ctl {

namespace {

class preempt_command final : public command {
 public:
  explicit preempt_command(CLI::App& app) {
    app.footer(
        "argosyctl preempt 01k9x2 --reason \"the node is needed\"\n"
        "argosyctl preempt -q team-a --jobset nightly\n"
        "argosyctl get jobs --node n7 -o name | argosyctl preempt -");
    selection_.add_options(app, "Preempt");
    app.add_option("--reason", reason_, "Kept with the jobs, at most 50 bytes")->type_name("TEXT");
  }
  std::vector<std::string> formats() const override { return {"table", "name"}; }
  std::string_view completes() const override { return "jobs"; }
  result<exit_code> run(session& s) override;

 private:
  /// Sends the ids of jobs of one set, and notes those that the server left alone.
  result<void> send(client& server, const job_set_name& set, const std::vector<std::string>& ids);

  job_selection selection_;
  std::string reason_;
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

result<exit_code> preempt_command::run(session& s) {
  selection_.read_armada_spelling();
  if (auto fits = check_reason(reason_); !fits) return fail(std::move(fits.error()));
  if (auto valid = selection_.check(); !valid) return fail(std::move(valid.error()));
  auto server = s.server();
  if (!server) return fail(std::move(server.error()));
  auto jobs = selection_.find(s, **server);
  if (!jobs) return fail(std::move(jobs.error()));
  const auto done = send_in_batches(
      s, *jobs, [&](const auto& set, const auto& ids) { return send(**server, set, ids); });
  if (!done) return done;
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
