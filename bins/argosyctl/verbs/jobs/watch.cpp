// SPDX-License-Identifier: Apache-2.0
// watch: the events of a job set, or of some jobs, as they happen.
#include <fmt/format.h>

#include "bins/argosyctl/client/job_list.hpp"
#include "bins/argosyctl/output/human.hpp"
#include "bins/argosyctl/output/json.hpp"
#include "bins/argosyctl/output/text.hpp"
#include "bins/argosyctl/verbs/command.hpp"
#include "bins/argosyctl/verbs/jobs/event_line.hpp"
#include "bins/argosyctl/verbs/jobs/follow.hpp"
#include "bins/argosyctl/verbs/queues/queue_names.hpp"

namespace argosy::ctl {

namespace {

class watch_command final : public command {
 public:
  explicit watch_command(CLI::App& app) {
    app.add_option("selector", words_,
                   "Job ids or their beginnings, @last, or a queue and a job set")
        ->type_name("JOB|QUEUE SET");
    app.add_option("-q,--queue", queue_, "Queue of the job set")->type_name("QUEUE");
    app.add_option("--jobset", job_set_, "Job set to watch")->type_name("SET");
    app.add_option("--from", from_, "start, now, or the id of the last event that was seen")
        ->type_name("POSITION")
        ->capture_default_str();
    app.add_option("--until", until_, "done: end when all jobs are over")
        ->type_name("WHEN")
        ->check(CLI::IsMember({"done"}));
  }
  std::vector<std::string> formats() const override { return {"table", "jsonl"}; }
  std::string_view completes() const override { return "jobs"; }
  result<exit_code> run(session& s) override;

 private:
  /// False when the arguments mean jobs and not a job set.
  result<bool> select_set(follow_options& options) const;
  result<void> select_jobs(session& s, client& server, job_tracker& jobs,
                           follow_options& options) const;

  std::vector<std::string> words_;
  std::string queue_;
  std::string job_set_;
  std::string from_ = "start";
  std::string until_;
};

result<bool> watch_command::select_set(follow_options& options) const {
  auto queue = queue_;
  auto set = job_set_;
  if (queue.empty() && set.empty() && words_.size() == 2 && !names_a_job(words_[0])) {
    queue = words_[0];
    set = words_[1];
  } else if (!queue.empty() && set.empty() && words_.size() == 1) {
    set = words_[0];
  } else if (!words_.empty()) {
    if (queue.empty() && set.empty()) return false;
    return fail(ec::invalid_argument, "name either jobs or a job set, not both");
  }
  if (queue.empty() || set.empty())
    return fail(ec::invalid_argument,
                "name what to watch: job ids, or a queue and a job set (--queue Q --jobset S)");
  options.job_sets.emplace(queue, set);
  options.all_jobs = true;
  return true;
}

result<void> watch_command::select_jobs(session& s, client& server, job_tracker& jobs,
                                        follow_options& options) const {
  if (words_.size() == 1 && !names_a_job(words_[0]) && !is_job_id_prefix(lower_case(words_[0])))
    return fail(ec::invalid_argument,
                fmt::format("'{0}' is no job id; for the events of a job set name it behind its "
                            "queue: argosyctl watch {0} SET",
                            words_[0]));
  auto references = expand_references(words_, s.env, s.in);
  if (!references) return fail(std::move(references.error()));
  auto found = resolve_jobs(server, *references);
  if (!found) return fail(std::move(found.error()));
  for (const auto& job : *found) {
    jobs.expect(job.job_id());
    options.job_sets.emplace(job.queue(), job.job_set());
  }
  return {};
}

result<exit_code> watch_command::run(session& s) {
  job_tracker jobs;
  follow_options options;
  const auto is_set = select_set(options);
  if (!is_set) return fail(is_set.error());
  s.patient = true;
  auto server = s.server();
  if (!server) return fail(std::move(server.error()));
  if (!*is_set)
    if (auto selected = select_jobs(s, **server, jobs, options); !selected)
      return fail(std::move(selected.error()));
  options.only_new = from_ == "now";
  if (from_ != "now" && from_ != "start") {
    if (options.job_sets.size() != 1)
      return fail(ec::invalid_argument, "--from with an event id needs jobs of one job set");
    options.from = from_;
  }
  const bool until_done = until_ == "done";
  options.done = [&] { return until_done && !jobs.jobs().empty() && jobs.all_over(); };
  options.show_progress = until_done;
  options.on_event = [&](const api::EventStreamMessage& event, const event_text& text,
                         const tracked_job*) { print_event(s, event, text); };
  const auto end = follow_jobs(s, **server, jobs, options);
  if (!end) {
    if (*is_set && end.error().code == ec::not_found)
      if (auto known = check_queue(**server, options.job_sets.begin()->first); !known)
        return fail(std::move(known.error()));
    return fail(end.error());
  }
  return *end == follow_end::interrupted ? exit_code::interrupted : exit_code::success;
}

}  // namespace

void print_event(session& s, const api::EventStreamMessage& event, const event_text& text) {
  if (s.as == format::jsonl) {
    s.out.print_line(json_of(event));
  } else {
    const auto name = text.detail.empty() ? text.name : padded(text.name, 14);
    s.out.print_line(fmt::format("{}  {}  {}{}{}", utc_clock(text.created_ns), escaped(text.job_id),
                                 s.out.paint(name, text.as), text.detail.empty() ? "" : "  ",
                                 escaped(text.detail)));
  }
  s.out.flush();
}

void define_watch(CLI::App& app, command_set& commands) {
  define_verb<watch_command>(app, commands);
}

}  // namespace argosy::ctl
