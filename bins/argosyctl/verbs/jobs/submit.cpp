// SPDX-License-Identifier: Apache-2.0
// submit FILE…: all files are read and checked before anything is sent.
#include <fmt/format.h>

#include <charconv>
#include <iterator>
#include <span>

#include "bins/argosyctl/client/submission.hpp"
#include "bins/argosyctl/output/json.hpp"
#include "bins/argosyctl/output/progress.hpp"
#include "bins/argosyctl/verbs/command.hpp"
#include "bins/argosyctl/verbs/jobs/event_line.hpp"
#include "bins/argosyctl/verbs/jobs/follow.hpp"
#include "bins/argosyctl/verbs/queues/queue_names.hpp"
#include "messages/submit_file/job_file.hpp"

namespace argosy::ctl {

namespace {

constexpr std::size_t file_size_max = 2u << 30;
constexpr std::size_t jobs_per_request = 1'000;  // A gang may be larger.
constexpr std::size_t dry_run_request_size = (8u << 20) - 4'096;
constexpr std::size_t client_id_size_max = 100;
constexpr std::size_t jobs_shown_one_by_one = 20;

struct named_file {
  std::string name;
  submit_file::job_file content;
};

/// Where the jobs of a request come from.
struct request_origin {
  const named_file* file = nullptr;
  std::vector<std::size_t> jobs;
};

class submit_command final : public command {
 public:
  explicit submit_command(CLI::App& app) {
    app.add_option("files", files_, "Files of jobs in YAML, or - for stdin")
        ->required()
        ->type_name("FILE");
    app.add_option("-q,--queue", queue_, "Queue, instead of the file's")->type_name("QUEUE");
    app.add_option("--jobset", job_set_, "Job set, instead of the file's")->type_name("SET");
    app.add_flag("--dry-run{client}", dry_run_, "Only read and check the files")
        ->type_name("[=client]");
    app.add_flag("--wait{done}", wait_,
                 "Wait for the jobs: --wait=scheduled, =running or =done (default)")
        ->type_name("[=GOAL]");
    app.add_flag("--follow", follow_, "Print the jobs' events until all of them have ended");
    app.add_option("--idempotency-key", key_,
                   "Makes it safe to submit again: jobs that were accepted under the same key are "
                   "not created twice")
        ->type_name("KEY");
    app.add_flag("--progress", progress_, "Show progress while sending and waiting");
  }
  std::vector<std::string> formats() const override { return {"table", "name", "json"}; }
  std::string_view completes() const override { return "files"; }
  result<exit_code> run(session& s) override;

 private:
  result<void> check_flags();
  result<std::vector<named_file>> read_files(session& s) const;
  void add_client_ids(std::vector<named_file>& files) const;
  result<exit_code> report_dry_run(session& s, const std::vector<named_file>& files) const;
  result<exit_code> send(session& s, client& server, const std::vector<named_file>& files);
  exit_code refused(session& s, client& server, const submission_error& failed,
                    const std::vector<request_origin>& origins) const;
  void print_accepted(session& s) const;
  result<exit_code> after(session& s, client& server) const;

  std::vector<std::string> files_;
  std::string queue_;
  std::string job_set_;
  std::string dry_run_;
  std::string wait_;
  bool follow_ = false;
  std::string key_;
  bool progress_ = false;
  wait_goal goal_ = wait_goal::done;
  std::vector<argosy::v1::JobSummary> accepted_;
};

result<void> submit_command::check_flags() {
  if (!dry_run_.empty() && dry_run_ != "client")
    return fail(ec::invalid_argument, fmt::format("--dry-run={}: only client is there", dry_run_));
  if (!wait_.empty()) {
    auto goal = parse_goal(wait_);
    if (!goal) return fail(ec::invalid_argument, "--wait: " + goal.error().detail);
    goal_ = *goal;
  }
  if (key_.size() + 12 > client_id_size_max)
    return fail(ec::invalid_argument, fmt::format("--idempotency-key may have at most {} bytes",
                                                  client_id_size_max - 12));
  return {};
}

result<std::vector<named_file>> submit_command::read_files(session& s) const {
  std::vector<named_file> files;
  for (const auto& name : files_) {
    result<std::string> text = std::string{};
    if (name == "-")
      text->assign(std::istreambuf_iterator<char>{s.in}, {});
    else
      text = read_file(name, file_size_max);
    if (!text) return fail(ec::invalid_argument, text.error().detail);
    const auto shown = name == "-" ? std::string{"stdin"} : name;
    auto content = submit_file::read_jobs(*text, shown, {queue_, job_set_});
    if (!content) return fail(std::move(content.error()));
    files.push_back({shown, std::move(*content)});
  }
  return files;
}

/// A client id of the file's own comes later in the item, and therefore wins.
void submit_command::add_client_ids(std::vector<named_file>& files) const {
  if (key_.empty()) return;
  std::size_t number = 0;
  for (auto& file : files)
    for (auto& job : file.content.jobs) {
      api::JobSubmitRequestItem id;
      id.set_client_id(fmt::format("{}-{}", key_, number++));
      job.item.insert(0, id.SerializeAsString());
    }
}

result<exit_code> submit_command::report_dry_run(session& s,
                                                 const std::vector<named_file>& files) const {
  std::vector<std::string> items;
  for (const auto& file : files) {
    const auto requests = submit_file::divide(file.content, dry_run_request_size, jobs_per_request);
    if (!requests) return fail(requests.error());
    const auto jobs = file.content.jobs.size();
    items.push_back(fmt::format(R"({{"file":{},"queue":{},"jobSet":{},"jobs":{}}})",
                                json_string(file.name), json_string(file.content.queue),
                                json_string(file.content.job_set), jobs));
    s.out.notice(fmt::format("{}: {} job{} for queue '{}', job set '{}'; nothing was sent",
                             file.name, jobs, jobs == 1 ? "" : "s", file.content.queue,
                             file.content.job_set));
  }
  if (s.as == format::json) s.out.print(json_items(items));
  return exit_code::success;
}

void submit_command::print_accepted(session& s) const {
  if (s.as == format::json) {
    std::vector<std::string> items;
    items.reserve(accepted_.size());
    for (const auto& job : accepted_)
      items.push_back(fmt::format(R"({{"jobId":{}}})", json_string(job.job_id())));
    s.out.print(json_items(items));
  } else if (s.as == format::table && !accepted_.empty()) {
    if (accepted_.size() <= jobs_shown_one_by_one)
      for (const auto& job : accepted_)
        s.out.print_line(fmt::format("job/{} submitted", job.job_id()));
    else
      s.out.print_line(fmt::format("submitted {} jobs, {} to {}", accepted_.size(),
                                   accepted_.front().job_id(), accepted_.back().job_id()));
  }
  s.out.flush();
}

/// The server's message with the place in the file instead of the one in the request: "f.yaml:9:5:
/// jobs[7].pod_spec…" for "job_request_items[3].pod_spec…".
std::string placed(const error& why, const request_origin& origin) {
  const auto& message = why.detail;
  constexpr std::string_view marker = "job_request_items[";
  const auto at = message.find(marker);
  const bool of_content = why.code == ec::invalid_argument || why.code == ec::too_large;
  const auto whole_file = of_content ? origin.file->name + ": " + message : message;
  if (at == std::string::npos) return whole_file;
  std::size_t index = 0;
  const auto* const first = message.data() + at + marker.size();
  const auto [end, failed] = std::from_chars(first, message.data() + message.size(), index);
  if (failed != std::errc{} || index >= origin.jobs.size()) return whole_file;
  const auto number = origin.jobs[index];
  const auto& job = origin.file->content.jobs[number];
  return fmt::format("{}:{}:{}: {}jobs[{}{}", origin.file->name, job.line, job.column,
                     message.substr(0, at), number,
                     std::string_view{end, message.data() + message.size()});
}

std::size_t jobs_of(std::span<const request_origin> origins) {
  std::size_t jobs = 0;
  for (const auto& origin : origins) jobs += origin.jobs.size();
  return jobs;
}

std::string where_to_look(const request_origin& origin) {
  return fmt::format("look with argosyctl get jobs --queue {} --jobset {}",
                     origin.file->content.queue, origin.file->content.job_set);
}

/// "7 of 9 jobs were accepted", and what is not known because the user did not wait for it.
std::string how_far(std::size_t accepted, const submission_error& failed,
                    std::span<const request_origin> origins) {
  auto text = fmt::format("{} of {} jobs were accepted", accepted, jobs_of(origins));
  if (failed.unanswered > 0)
    text += fmt::format("; whether {} more were is unknown: {}",
                        jobs_of(origins.subspan(failed.first_unanswered, failed.unanswered)),
                        where_to_look(origins[failed.first_unanswered]));
  return text;
}

exit_code submit_command::refused(session& s, client& server, const submission_error& failed,
                                  const std::vector<request_origin>& origins) const {
  const auto& origin = origins[failed.request];
  if (failed.stopped) {
    s.out.error_line("interrupted: " + how_far(accepted_.size(), failed, origins));
    return exit_code::interrupted;
  }
  auto why = failed.why;
  if (exit_code_of(why) == exit_code::not_found && accepted_.empty())
    why = unknown_queue(server, origin.file->content.queue);
  why.detail = placed(why, origin);
  if (perhaps_taken(why.code) && key_.empty())
    why.detail +=
        fmt::format("; whether the {} jobs from line {} of {} on were accepted is unknown: {}",
                    origin.jobs.size(), origin.file->content.jobs[origin.jobs.front()].line,
                    origin.file->name, where_to_look(origin));
  const auto code = report(s.out, why);
  if (accepted_.empty()) return code;
  s.out.error_line(how_far(accepted_.size(), failed, origins));
  return exit_code::partial;
}

result<exit_code> submit_command::send(session& s, client& server,
                                       const std::vector<named_file>& files) {
  std::vector<submit_request> requests;
  std::vector<request_origin> origins;
  std::size_t all = 0;
  for (const auto& file : files) {
    auto parts = submit_file::divide(file.content, server.request_size_max(), jobs_per_request);
    if (!parts) return fail(std::move(parts.error()));
    for (auto& part : *parts) {
      all += part.jobs.size();
      requests.push_back({std::move(part.bytes), part.jobs.size()});
      origins.push_back({&file, std::move(part.jobs)});
    }
  }
  submission_events events;
  events.stop = [&] { return s.is_interrupted(); };
  events.on_accepted = [&](std::size_t request, std::vector<std::string> ids) {
    const auto& content = origins[request].file->content;
    for (auto& id : ids) {
      if (s.as == format::name) s.out.print_line("job/" + id);
      auto& job = accepted_.emplace_back();
      job.set_job_id(std::move(id));
      job.set_queue(content.queue);
      job.set_job_set(content.job_set);
    }
    s.out.flush();
    if (progress_)
      s.out.status(fmt::format("{} {}/{} submitted", progress_bar(accepted_.size(), all, 20),
                               accepted_.size(), all));
  };
  const auto failed =
      submit_all(server, requests, key_.empty() ? repeatable::no : repeatable::yes, events);
  s.out.status("");
  std::vector<std::string> ids;
  ids.reserve(accepted_.size());
  for (const auto& job : accepted_) ids.push_back(job.job_id());
  if (!ids.empty() && !remember_submission(s.env, ids))
    s.out.hint("@last could not be remembered: the state folder cannot be written");
  if (s.as != format::json || !failed || !accepted_.empty()) print_accepted(s);
  if (failed) return refused(s, server, *failed, origins);
  return exit_code::success;
}

result<exit_code> submit_command::after(session& s, client& server) const {
  if (follow_) {
    job_tracker jobs;
    follow_options options;
    for (const auto& job : accepted_) {
      jobs.expect(job);
      options.job_sets.emplace(job.queue(), job.job_set());
    }
    options.show_progress = progress_;
    options.early = true;
    options.done = [&] { return jobs.all_over(); };
    options.on_event = [&](const api::EventStreamMessage& event, const event_text& text,
                           const tracked_job*) { print_event(s, event, text); };
    const auto end = follow_jobs(s, server, jobs, options);
    if (!end) return fail(end.error());
    if (*end == follow_end::interrupted) return exit_code::interrupted;
    for (const auto& job : jobs.jobs())
      if (const auto code = outcome_of(job, goal_); code != exit_code::success) return code;
    return exit_code::success;
  }
  if (wait_.empty()) return exit_code::success;
  wait_options options;
  options.goal = goal_;
  options.print = s.as == format::table;
  options.show_progress = true;
  return wait_for_jobs(s, server, accepted_, options);
}

result<exit_code> submit_command::run(session& s) {
  if (auto valid = check_flags(); !valid) return fail(std::move(valid.error()));
  auto files = read_files(s);
  if (!files) return fail(std::move(files.error()));
  if (!dry_run_.empty()) return report_dry_run(s, *files);
  add_client_ids(*files);
  auto server = s.server();
  if (!server) return fail(std::move(server.error()));
  auto sent = send(s, **server, *files);
  if (!sent || *sent != exit_code::success) return sent;
  return after(s, **server);
}

}  // namespace

void define_submit(CLI::App& app, command_set& commands) {
  define_verb<submit_command>(app, commands);
}

}  // namespace argosy::ctl
