// SPDX-License-Identifier: Apache-2.0
// The verb reprioritize PRIORITY: changes the priority of jobs by id, or of a whole job set.
#include <fmt/format.h>

#include "bins/argosyctl/verbs/command.hpp"
#include "bins/argosyctl/verbs/jobs/job_selection.hpp"
#include "bins/argosyctl/verbs/jobs/operation_call.hpp"
#include "bins/argosyctl/verbs/priority.hpp"

namespace argosy::ctl {

namespace {

class reprioritize_command final : public command {
 public:
  explicit reprioritize_command(CLI::App& app) {
    app.footer(
        "argosyctl reprioritize 0 01k9x2\n"
        "argosyctl reprioritize 500 --jobset nightly");
    app.add_option("priority", text_, "The new priority, 0 or more; lower ones run first")
        ->required()
        ->type_name("PRIORITY");
    selection_.add_options(app, "Change");
  }
  std::vector<std::string> formats() const override { return {"table", "name"}; }
  std::string_view completes() const override { return "jobs"; }
  result<exit_code> run(session& s) override;

 private:
  result<void> take_priority();
  result<void> send(session& s, client& server, const job_set_name& set,
                    const std::vector<std::string>& ids) const;
  result<exit_code> change(session& s, client& server, job_roll& jobs) const;

  std::string text_;
  job_selection selection_;
  double priority_ = 0;
};

/// Takes the priority from the words. In Armada's order the kind comes first and the priority last.
result<void> reprioritize_command::take_priority() {
  auto& words = selection_.words;
  if (is_job_kind(text_) && !words.empty()) {
    words.insert(words.begin(), text_);
    text_ = words.back();
    words.pop_back();
  }
  const auto read = parse_priority(text_);
  if (!read) return fail(read.error());
  priority_ = *read;
  return {};
}

result<void> reprioritize_command::send(session& s, client& server, const job_set_name& set,
                                        const std::vector<std::string>& ids) const {
  api::JobReprioritizeRequest request;
  request.set_queue(set.first);
  request.set_job_set_id(set.second);
  request.set_new_priority(priority_);
  request.mutable_job_ids()->Assign(ids.begin(), ids.end());
  constexpr auto method = "Submit.ReprioritizeJobs";
  auto done = ids.empty() ? call_operation<api::JobReprioritizeResponse>(s, server, method, request)
                          : call<api::JobReprioritizeResponse>(server, method, request);
  if (!done) return fail(std::move(done.error()));
  return {};
}

result<exit_code> reprioritize_command::change(session& s, client& server, job_roll& jobs) const {
  if (!selection_.is_set())
    return send_in_batches(
        s, jobs, [&](const auto& set, const auto& ids) { return send(s, server, set, ids); });
  // A set is changed as a whole, also jobs that were submitted in the meantime.
  auto done = send(s, server, {selection_.queue(), selection_.job_set()}, {});
  if (!done) return fail(std::move(done.error()));
  for (auto& job : jobs.jobs()) job.changed = true;
  return exit_code::success;
}

result<exit_code> reprioritize_command::run(session& s) {
  if (auto taken = take_priority(); !taken) return fail(std::move(taken.error()));
  selection_.read_armada_spelling();
  if (auto valid = selection_.check(); !valid) return fail(std::move(valid.error()));
  auto server = s.server();
  if (!server) return fail(std::move(server.error()));
  auto jobs = selection_.find(s, **server);
  if (!jobs) return fail(std::move(jobs.error()));
  auto done = change(s, **server, *jobs);
  if (!done) return done;
  if (selection_.is_set() && jobs->jobs().empty())
    return selection_.tell_nothing(s, **server, "change", "changed");
  print_changed(s, *jobs, "changed the priority of");
  return done;
}

}  // namespace

void define_reprioritize(CLI::App& app, command_set& commands) {
  define_verb<reprioritize_command>(app, commands);
}

}  // namespace argosy::ctl
