// SPDX-License-Identifier: Apache-2.0
// The verb submit FILE…: reads and checks all files before it sends anything.
#include <fmt/format.h>

#include <nlohmann/json.hpp>
#include <set>

#include "bins/argosyctl/client/job_list.hpp"
#include "bins/argosyctl/client/new_id.hpp"
#include "bins/argosyctl/follow/event_line.hpp"
#include "bins/argosyctl/follow/wait.hpp"
#include "bins/argosyctl/follow/waiting_line.hpp"
#include "bins/argosyctl/output/json.hpp"
#include "bins/argosyctl/output/progress.hpp"
#include "bins/argosyctl/verbs/command.hpp"
#include "bins/argosyctl/verbs/jobs/submit_check.hpp"
#include "bins/argosyctl/verbs/jobs/submit_files.hpp"
#include "bins/argosyctl/verbs/queues/queue_names.hpp"

namespace argosy::ctl {

namespace {

constexpr std::size_t jobs_shown_one_by_one = 20;
constexpr std::size_t sent_bar_cells = 20;

class submit_command final : public command {
 public:
  explicit submit_command(CLI::App& app) {
    app.footer(
        "argosyctl submit jobs.yaml\n"
        "argosyctl submit jobs.yaml -q team-a --wait --timeout 1h\n"
        "make-jobs | argosyctl submit - -o name > ids\n"
        "argosyctl submit jobs.yaml --dry-run=server\n"
        "argosyctl help job-files");
    app.add_option("files", files_, "Files of jobs in YAML, or - for stdin")->type_name("FILE");
    app.add_option("-f,--filename", more_files_, "The same, as kubectl has it")
        ->type_name("FILE")
        ->allow_extra_args(false);
    app.add_option("-q,--queue", queue_, "Queue, instead of the file's")->type_name("QUEUE");
    app.add_option("--jobset", job_set_, "Job set, instead of the file's")->type_name("SET");
    app.add_option("--name", name_, "Name of the jobs, instead of the file's")->type_name("NAME");
    app.add_flag(
           "--dry-run{client}", dry_run_,
           "Only check: --dry-run=client reads the files, =server also asks the server, which "
           "accepts nothing")
        ->type_name("[=client|server]");
    app.add_flag("--wait{done}", wait_,
                 "Wait for the jobs: --wait=scheduled, =running or =done (default)")
        ->type_name("[=GOAL]");
    app.add_flag("--follow", follow_, "Print the jobs' events until all of them have ended");
    app.add_option("--idempotency-key", key_,
                   "Name of this submission: what was accepted under it is not submitted a second "
                   "time. Without it argosyctl makes one, and tells it if you need it")
        ->type_name("KEY");
    app.add_flag("--progress", progress_, "Show progress while sending and waiting");
  }
  std::vector<std::string> formats() const override { return {"table", "name", "json"}; }
  std::string_view completes() const override { return "files"; }
  bool waits() const override { return follow_ || !wait_.empty(); }
  std::string_view timeout_help() const override {
    return "Longest time for a request, retries included; 30s if it is not given. With --wait or "
           "--follow: end the waiting after this time, with exit code 124";
  }
  result<exit_code> run(session& s) override;

 private:
  result<void> check_flags();
  result<exit_code> send(session& s, client& server, const std::vector<named_file>& files);
  void take_accepted(session& s, const std::vector<std::string>& ids);
  exit_code refused(session& s, client& server, const submission_error& failed,
                    const std::vector<request_origin>& origins) const;
  void print_accepted(session& s) const;
  result<exit_code> after(session& s, client& server, const std::string& from) const;
  result<exit_code> follow(session& s, client& server, awaited_jobs& jobs,
                           const std::string& from) const;

  std::vector<std::string> files_;
  std::vector<std::string> more_files_;
  std::string queue_;
  std::string job_set_;
  std::string name_;
  std::string dry_run_;
  std::string wait_;
  bool follow_ = false;
  std::string key_;
  bool progress_ = false;
  wait_goal goal_ = wait_goal::done;
  std::vector<job_reference> accepted_;
};

constexpr auto how_to_go_on = "the jobs go on; wait for them with: argosyctl wait @last";

result<void> submit_command::check_flags() {
  files_.insert(files_.end(), more_files_.begin(), more_files_.end());
  if (files_.empty())
    return fail(ec::invalid_argument, "FILE is missing: Files of jobs in YAML, or - for stdin");
  if (!dry_run_.empty() && dry_run_ != "client" && dry_run_ != "server")
    return fail(ec::invalid_argument,
                fmt::format("--dry-run={}: it may be client or server", dry_run_));
  if (!wait_.empty()) {
    auto goal = parse_goal(wait_);
    if (!goal) return fail(ec::invalid_argument, "--wait: " + goal.error().detail);
    goal_ = *goal;
  }
  return check_key(key_);
}

void submit_command::print_accepted(session& s) const {
  if (s.as == format::json) {
    std::vector<std::string> items;
    items.reserve(accepted_.size());
    for (const auto& id : accepted_) items.push_back(nlohmann::json{{"jobId", id.str()}}.dump());
    s.out.print(json_items(items));
  } else if (s.as == format::table && !accepted_.empty()) {
    if (accepted_.size() <= jobs_shown_one_by_one)
      for (const auto& id : accepted_) s.out.print_line(fmt::format("job/{} submitted", id.text()));
    else
      s.out.print_line(fmt::format("submitted {} jobs, {} to {}", accepted_.size(),
                                   accepted_.front().text(), accepted_.back().text()));
  }
  s.out.flush();
}

exit_code submit_command::refused(session& s, client& server, const submission_error& failed,
                                  const std::vector<request_origin>& origins) const {
  const auto& origin = origins[failed.request];
  const auto how_to_repeat = fmt::format(
      "; no job is submitted twice if you submit the same again with --idempotency-key {}", key_);
  if (failed.stopped) {
    s.out.error_line("interrupted: " + how_far(accepted_.size(), failed, origins) +
                     (failed.unanswered > 0 ? how_to_repeat : ""));
    return exit_code::interrupted;
  }
  auto why = failed.why;
  if (exit_code_of(why) == exit_code::not_found && accepted_.empty())
    why = unknown_queue(server, origin.file->content.queue);
  why.detail = placed(why, origin);
  if (failed.unknown)
    why.detail += fmt::format(
        "; whether the {} jobs from line {} of {} on were accepted is unknown", origin.jobs.size(),
        origin.file->content.jobs[origin.jobs.front()].line, origin.file->name);
  if (failed.unknown && accepted_.empty()) why.detail += how_to_repeat;
  const auto code = report(s.out, why);
  if (accepted_.empty()) return code;
  s.out.error_line(how_far(accepted_.size(), failed, origins) + how_to_repeat);
  return exit_code::partial;
}

void submit_command::take_accepted(session& s, const std::vector<std::string>& ids) {
  for (const auto& id : ids) {
    if (s.as == format::name) s.out.print_line("job/" + id);
    accepted_.push_back(job_reference::of_id(id));
  }
  s.out.flush();
}

result<exit_code> submit_command::send(session& s, client& server,
                                       const std::vector<named_file>& files) {
  const auto divided = divide_files(files, server.request_size_max(), key_);
  if (!divided) return fail(divided.error());
  submission_events events;
  events.stop = [&] { return s.is_interrupted(); };
  events.on_accepted = [&](std::size_t, const std::vector<std::string>& ids) {
    take_accepted(s, ids);
    progress sent;
    sent.succeeded = accepted_.size();
    sent.all = divided->jobs;
    if (progress_)
      s.out.status(fmt::format("{} {}/{} submitted", progress_bar(sent, sent_bar_cells),
                               sent.succeeded, sent.all));
  };
  std::set<std::string> notes;
  events.on_note = [&](const std::string& note) {
    if (notes.insert(note).second) s.out.notice("note: " + note);
  };
  const auto failed = submit_all(server, divided->requests, events);
  s.out.status("");
  std::string lines;
  lines.reserve(accepted_.size() * (job_reference::id_size + 1));
  for (const auto& id : accepted_) lines.append(id.text()).append("\n");
  if (!lines.empty() && !s.keep_last_jobs(lines))
    s.out.hint("@last could not be remembered: the state folder cannot be written");
  if (!accepted_.empty())
    s.carried_out = (accepted_.size() == 1
                         ? std::string{"1 job was submitted; its id"}
                         : fmt::format("{} jobs were submitted; their ids", accepted_.size())) +
                    ": argosyctl get jobs @last";
  if (s.as != format::json || !failed || !accepted_.empty()) print_accepted(s);
  if (failed) return refused(s, server, *failed, divided->origins);
  return exit_code::success;
}

result<exit_code> submit_command::follow(session& s, client& server, awaited_jobs& jobs,
                                         const std::string& from) const {
  waiting_line line{s, server, jobs.jobs,
                    [](const tracked_job& job) { return !is_over(job.state); },
                    [](const tracked_job&) {}};
  bool quiet = true;
  follow_options options;
  options.job_sets = jobs.job_sets;
  options.from = from;
  options.early = true;
  options.deadline = s.deadline();
  options.done = [&] { return jobs.jobs.all_over(); };
  options.meanwhile = [&](bool away) {
    if (quiet || away || progress_) line.tick(away);
  };
  options.on_event = [&](const api::EventStreamMessage& event, const event_text& text,
                         const tracked_job*) {
    print_event(s, event, text);
    quiet = quiet && (text.name == "submitted" || text.name == "queued");
  };
  const auto end = follow_jobs(s, server, jobs.jobs, options);
  if (!end) return fail(end.error());
  if (*end == follow_end::timed_out) s.out.error_line("timed out: " + line.text());
  if (*end != follow_end::done) {
    s.out.notice(how_to_go_on);
    return *end == follow_end::timed_out ? exit_code::timed_out : exit_code::interrupted;
  }
  for (const auto& job : jobs.jobs.jobs())
    if (const auto code = outcome_of(job, goal_); code != exit_code::success) return code;
  return exit_code::success;
}

result<exit_code> submit_command::after(session& s, client& server, const std::string& from) const {
  awaited_jobs jobs;
  // The jobs of an earlier submission under the same key may be over by now.
  auto listed = for_each_resolved(server, accepted_, [&](argosy::v1::JobSummary& job) {
    jobs.add(job);
    return !s.is_interrupted();
  });
  if (!listed) return fail(std::move(listed.error()));
  if (follow_) return follow(s, server, jobs, from);
  wait_options options;
  options.goal = goal_;
  options.from = from;
  options.lines = s.as == format::table ? wait_lines::few : wait_lines::none;
  options.goes_on = how_to_go_on;
  return wait_for_jobs(s, server, jobs, options);
}

result<exit_code> submit_command::run(session& s) {
  if (auto valid = check_flags(); !valid) return fail(std::move(valid.error()));
  std::vector<named_file> files;
  if (!read_job_files(s, files_, {queue_, job_set_, name_}, files)) return exit_code::usage;
  if (dry_run_ == "client") return check_here(s, files);
  auto server = s.server();
  if (!server) return fail(std::move(server.error()));
  if (dry_run_ == "server") return check_on_server(s, **server, files, key_);
  if (key_.empty()) key_ = new_id(s.now_ns());
  std::string from;
  if (waits())
    if (auto position = present_position(**server)) from = std::move(*position);
  auto sent = send(s, **server, files);
  if (!sent || *sent != exit_code::success || !waits()) return sent;
  return after(s, **server, from);
}

}  // namespace

void define_submit(CLI::App& app, command_set& commands) {
  define_verb<submit_command>(app, commands);
}

}  // namespace argosy::ctl
