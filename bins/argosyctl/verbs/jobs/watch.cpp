// SPDX-License-Identifier: Apache-2.0
// The verb watch: prints the events of a job set, or of some jobs, as they happen.
#include <fmt/format.h>

#include "bins/argosyctl/client/job_list.hpp"
#include "bins/argosyctl/follow/event_line.hpp"
#include "bins/argosyctl/follow/follow.hpp"
#include "bins/argosyctl/follow/waiting_line.hpp"
#include "bins/argosyctl/verbs/command.hpp"
#include "bins/argosyctl/verbs/queues/queue_names.hpp"
#include "runtime/base/text.hpp"

namespace argosy::ctl {

namespace {

class watch_command final : public command {
 public:
  explicit watch_command(CLI::App& app) {
    app.footer(
        "argosyctl watch team-a nightly\n"
        "argosyctl watch team-a nightly --from=now --until=done\n"
        "argosyctl watch @last -o jsonl");
    app.add_option("selector", words_,
                   "Job ids or their beginnings, @last, - for stdin, or a queue and a job set")
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
  bool waits() const override { return true; }
  std::string_view timeout_help() const override { return waiting_timeout_help; }
  result<exit_code> run(session& s) override;

 private:
  result<void> check_words();
  [[nodiscard]] bool is_set() const { return !job_set_.empty(); }
  result<void> select_set(session& s, client& server, job_tracker& jobs, follow_options& options);
  result<void> select_jobs(session& s, client& server, job_tracker& jobs,
                           follow_options& options) const;
  result<void> take_up_jobs(client& server, job_tracker& jobs) const;
  result<std::string> position(client& server) const;
  result<exit_code> follow(session& s, client& server, job_tracker& jobs, follow_options& options);
  [[nodiscard]] std::string how_to_go_on(const follow_options& options) const;

  std::vector<std::string> words_;
  std::string queue_;
  std::string job_set_;
  std::string from_ = "start";
  std::string until_;
  std::string seen_;   ///< The id of the last event that was printed.
  event_text before_;  ///< The event that came last.
};

/// Finds out whether the words mean jobs or a job set.
result<void> watch_command::check_words() {
  const bool no_flags = queue_.empty() && job_set_.empty();
  if (no_flags && words_.size() == 2 && !names_a_job(words_[0])) {
    queue_ = words_[0];
    job_set_ = words_[1];
    words_.clear();
  } else if (!queue_.empty() && job_set_.empty() && words_.size() == 1) {
    job_set_ = words_[0];
    words_.clear();
  }
  if (is_set() && !words_.empty())
    return fail(ec::invalid_argument, "name either jobs or a job set, not both");
  if (!is_set() && (words_.empty() || !queue_.empty()))
    return fail(ec::invalid_argument,
                "name what to watch: job ids, or a queue and a job set (--queue Q --jobset S)");
  if (words_.size() == 1 && !names_a_job(words_[0]) && !is_job_id_prefix(lower_case(words_[0])))
    return fail(ec::invalid_argument,
                fmt::format("'{0}' is no job id; for the events of a job set name it behind its "
                            "queue: argosyctl watch {0} SET",
                            words_[0]));
  return {};
}

/// Looks up the jobs whose end is awaited, since the past is not read with --from=now.
result<void> watch_command::take_up_jobs(client& server, job_tracker& jobs) const {
  argosy::v1::ListJobsRequest request;
  request.set_queue(queue_);
  request.set_job_set(job_set_);
  return for_each_listed(server, request, [&](argosy::v1::JobSummary& job) {
    jobs.expect(job);
    return true;
  });
}

result<void> watch_command::select_set(session& s, client& server, job_tracker& jobs,
                                       follow_options& options) {
  if (queue_.empty()) {
    auto queue = queue_of_job_set(server, job_set_);
    if (!queue) return fail(std::move(queue.error()));
    queue_ = std::move(*queue);
  }
  options.job_sets.emplace(queue_, job_set_);
  options.all_jobs = true;
  argosy::v1::ListJobsRequest request;
  request.set_queue(queue_);
  request.set_job_set(job_set_);
  request.set_limit(1);
  const auto any = list_jobs(server, request);
  if (!any) return fail(any.error());
  if (any->empty()) {
    if (auto known = check_queue(server, queue_); !known) return known;
    s.out.notice(fmt::format("job set '{}' of queue '{}' has no jobs yet; waiting for the first",
                             job_set_, queue_));
  }
  if (from_ == "now" && !until_.empty()) return take_up_jobs(server, jobs);
  return {};
}

result<void> watch_command::select_jobs(session& s, client& server, job_tracker& jobs,
                                        follow_options& options) const {
  auto references = expand_references(words_, s.last_jobs(), s.in);
  if (!references) return fail(std::move(references.error()));
  return for_each_resolved(server, *references, [&](argosy::v1::JobSummary& job) {
    if (from_ == "now")
      jobs.expect(job);
    else
      jobs.expect(job_reference::of_id(job.job_id()));
    options.job_sets.emplace(job.queue(), job.job_set());
    return !s.is_interrupted();
  });
}

result<std::string> watch_command::position(client& server) const {
  if (from_ == "now") return present_position(server);
  return from_ == "start" ? std::string{} : from_;
}

result<exit_code> watch_command::run(session& s) {
  if (auto valid = check_words(); !valid) return fail(std::move(valid.error()));
  s.patient = true;
  auto server = s.server();
  if (!server) return fail(std::move(server.error()));
  job_tracker jobs;
  follow_options options;
  auto from = position(**server);
  if (!from) return fail(std::move(from.error()));
  options.from = std::move(*from);
  auto selected =
      is_set() ? select_set(s, **server, jobs, options) : select_jobs(s, **server, jobs, options);
  if (!selected) return fail(std::move(selected.error()));
  if (options.job_sets.empty()) {
    s.out.notice("there is no job to watch");
    return exit_code::success;
  }
  if (from_ != "now" && from_ != "start" && options.job_sets.size() != 1)
    return fail(ec::invalid_argument, "--from with an event id needs jobs of one job set");
  return follow(s, **server, jobs, options);
}

/// An event's id is a place in one job set.
std::string watch_command::how_to_go_on(const follow_options& options) const {
  if (seen_.empty() || options.job_sets.size() != 1)
    return "the jobs go on; the same command watches them again";
  return "the jobs go on; what comes next is shown by the same command with --from=" + seen_;
}

result<exit_code> watch_command::follow(session& s, client& server, job_tracker& jobs,
                                        follow_options& options) {
  const bool until_done = !until_.empty();
  waiting_line line{s, server, jobs, [](const tracked_job& job) { return !is_over(job.state); },
                    [](const tracked_job&) {}};
  bool quiet = true;
  // Nothing of the past is printed, so that its end needs not be known.
  options.early = from_ == "now";
  options.deadline = s.deadline();
  options.done = [&] { return until_done && !jobs.jobs().empty() && jobs.all_over(); };
  options.meanwhile = [&](bool away) {
    if (away || (quiet && !jobs.all_over()))
      line.tick(away);
    else if (until_done)
      s.out.status(progress_text(jobs));
  };
  options.on_event = [&](const api::EventStreamMessage& event, const event_text& text,
                         const tracked_job*) {
    // Programs get every event, and people are told once.
    if (s.as != format::table || !says_again(text, before_)) print_event(s, event, text);
    before_ = text;
    seen_ = event.id();
    quiet = quiet && (text.name == "submitted" || text.name == "queued");
  };
  const auto end = follow_jobs(s, server, jobs, options);
  if (!end) return fail(end.error());
  if (*end == follow_end::done) return exit_code::success;
  if (*end == follow_end::timed_out)
    s.out.error_line(quiet && !jobs.all_over() ? "timed out: " + line.text() : "timed out");
  if (*end == follow_end::timed_out || s.is_interrupted()) s.out.notice(how_to_go_on(options));
  return *end == follow_end::timed_out ? exit_code::timed_out : exit_code::interrupted;
}

}  // namespace

void define_watch(CLI::App& app, command_set& commands) {
  define_verb<watch_command>(app, commands);
}

}  // namespace argosy::ctl
