// SPDX-License-Identifier: Apache-2.0
// The verb logs JOB…: prints the output of the last run of jobs, one job after the other, or with
// -f all as it comes. On a terminal it is escaped; into a file or a pipe it goes byte by byte.
#include <fmt/format.h>

#include <deque>
#include <optional>
#include <thread>

#include "bins/argosyctl/client/job_list.hpp"
#include "bins/argosyctl/follow/waiting_line.hpp"
#include "bins/argosyctl/output/event_text.hpp"
#include "bins/argosyctl/output/text.hpp"
#include "bins/argosyctl/verbs/command.hpp"

namespace argosy::ctl {

namespace {

constexpr std::uint32_t chunk_size_max = 256u << 10;
constexpr std::size_t line_size_max = 1u << 20;
constexpr std::chrono::milliseconds poll_period{200};

/// The output of one job as it is read.
struct source {
  job_reference job;
  bool has_run = false;
  std::uint32_t run = 0;  ///< The number of the run; 0: the last one.
  std::uint64_t offset = 0;
  bool ended = false;
  std::string line{};  ///< A line that has begun but not ended yet.
  std::deque<std::string> tail{};
};

class logs_command final : public command {
 public:
  explicit logs_command(CLI::App& app) {
    app.footer(
        "argosyctl logs 01k9x2\n"
        "argosyctl logs -f @last --prefix\n"
        "argosyctl logs 01k9x2 --tail 20 --grep ERROR");
    app.add_option("jobs", words_, "Ids or their beginnings, @last, or - for stdin")
        ->required()
        ->type_name("JOB");
    app.add_flag("-f,--follow", follow_, "Go on until the jobs have ended");
    app.add_flag("--previous", previous_, "Of the run before the last one");
    tail_option_ =
        app.add_option("--tail", tail_, "Only the last N lines of what there is")->type_name("N");
    app.add_flag("--prefix", prefix_, "Begin every line with the job's id");
    app.add_option("--grep", grep_, "Only lines that contain this")->type_name("TEXT");
  }
  std::string_view completes() const override { return "jobs"; }
  bool waits() const override { return follow_; }
  std::string_view timeout_help() const override {
    return "Longest time for a request, retries included; 30s if it is not given. With -f: end "
           "after this time, with exit code 124";
  }
  result<exit_code> run(session& s) override;

 private:
  result<void> find(session& s, client& server);
  result<exit_code> read_in_turn(session& s, client& server);
  result<exit_code> follow_all(session& s, client& server);
  result<bool> round(session& s, client& server);
  result<bool> read_some(session& s, client& server, source& from);
  result<bool> still_to_come(client& server, const source& from) const;
  void take(session& s, source& from, std::string_view data);
  void put_line(session& s, source& from, std::string line);
  void emit(session& s, const source& from, std::string_view line) const;
  void end_tails(session& s);
  void end(session& s, source& from);
  [[nodiscard]] bool by_line() const {
    return prefix_ || !grep_.empty() || tail_option_->count() > 0;
  }

  std::vector<std::string> words_;
  bool follow_ = false;
  bool previous_ = false;
  bool prefix_ = false;
  std::uint32_t tail_ = 0;
  CLI::Option* tail_option_ = nullptr;
  std::string grep_;
  std::vector<source> sources_;
  std::size_t open_ = 0;
  bool tailing_ = false;
};

void logs_command::emit(session& s, const source& from, std::string_view line) const {
  const bool tty = s.out.where().out_is_terminal;
  if (prefix_) s.out.print(s.out.paint(from.job.text(), look::faint) + " ");
  s.out.print(tty ? escaped_lines(line) : std::string{line});
}

void logs_command::put_line(session& s, source& from, std::string line) {
  if (!grep_.empty() && line.find(grep_) == std::string::npos) return;
  if (!tailing_) return emit(s, from, line);
  from.tail.push_back(std::move(line));
  if (from.tail.size() > tail_) from.tail.pop_front();
}

void logs_command::take(session& s, source& from, std::string_view data) {
  if (!by_line() && sources_.size() == 1) return emit(s, from, data);
  while (!data.empty()) {
    const auto newline = data.find('\n');
    const auto size = newline == std::string_view::npos ? data.size() : newline + 1;
    from.line += data.substr(0, size);
    data.remove_prefix(size);
    if (newline != std::string_view::npos || from.line.size() > line_size_max)
      put_line(s, from, std::exchange(from.line, {}));
  }
}

/// Whether a job without output so far may still get some.
result<bool> logs_command::still_to_come(client& server, const source& from) const {
  auto now = resolve_jobs(server, {from.job});
  if (!now) return fail(std::move(now.error()));
  return !is_over(now->front().state());
}

/// Reads some output; returns whether any came.
result<bool> logs_command::read_some(session& s, client& server, source& from) {
  argosy::v1::ReadLogRequest request;
  request.set_job_id(from.job.str());
  request.set_run(from.run);
  request.set_offset(from.offset);
  request.set_size_max(chunk_size_max);
  auto chunk = call<argosy::v1::ReadLogResponse>(server, "Logs.Read", request);
  if (!chunk && chunk.error().code == ec::not_found && follow_ && from.offset == 0) {
    auto more = still_to_come(server, from);
    if (!more) return fail(std::move(more.error()));
    if (*more) return false;
  }
  if (!chunk) return fail(std::move(chunk.error()));
  if (from.run == 0) from.run = chunk->run();
  take(s, from, chunk->data());
  from.offset = chunk->next_offset();
  if (chunk->end() || (chunk->data().empty() && !follow_)) from.ended = true;
  return !chunk->data().empty();
}

void logs_command::end(session& s, source& from) {
  if (!from.has_run && from.offset == 0 && !follow_)
    s.out.notice(fmt::format("job {} has not run yet; -f waits for its output", from.job.text()));
  if (!from.line.empty()) put_line(s, from, std::exchange(from.line, {}) + "\n");
  for (const auto& line : from.tail) emit(s, from, line);
  from.tail.clear();
}

result<void> logs_command::find(session& s, client& server) {
  auto references = expand_references(words_, s.env, s.in);
  if (!references) return fail(std::move(references.error()));
  std::optional<std::string> without;
  auto done = for_each_resolved(server, *references, [&](argosy::v1::JobSummary& job) {
    auto& from = sources_.emplace_back(source{job_reference::of_id(job.job_id()), job.run() != 0});
    if (!previous_) return !s.is_interrupted();
    if (job.run() < 2) without = job.job_id();
    from.run = job.run() - 1;
    return !without && !s.is_interrupted();
  });
  if (without)
    return fail(ec::not_found, fmt::format("job {} has no run before the last one", *without));
  return done;
}

/// Prints all output, one job after the other.
result<exit_code> logs_command::read_in_turn(session& s, client& server) {
  for (auto& from : sources_) {
    while (!from.ended) {
      if (auto got = read_some(s, server, from); !got) return fail(std::move(got.error()));
      if (s.should_stop()) return exit_code::interrupted;
    }
    end(s, from);
    s.out.flush();
  }
  return exit_code::success;
}

/// Reads a little of every job; returns whether any came.
result<bool> logs_command::round(session& s, client& server) {
  bool any = false;
  for (auto& from : sources_) {
    if (from.ended) continue;
    auto got = read_some(s, server, from);
    if (!got) return got;
    any = any || *got;
    if (!from.ended) continue;
    end(s, from);
    --open_;
  }
  s.out.flush();
  return any;
}

/// Ends the past, all of which was read: from here on lines are printed as they come.
void logs_command::end_tails(session& s) {
  if (!tailing_) return;
  for (auto& from : sources_)
    for (; !from.tail.empty(); from.tail.pop_front()) emit(s, from, from.tail.front());
  tailing_ = false;
  s.out.flush();
}

result<exit_code> logs_command::follow_all(session& s, client& server) {
  const auto deadline = s.deadline();
  open_ = sources_.size();
  // For jobs without output the waiting line says what they wait for.
  job_tracker silent;
  for (const auto& from : sources_)
    if (!from.has_run) silent.expect(from.job);
  waiting_line line{s, server, silent, [](const tracked_job& job) { return !is_over(job.state); },
                    [](const tracked_job&) {}};
  bool nothing_yet = silent.jobs().size() == sources_.size();
  while (open_ > 0) {
    const auto any = round(s, server);
    if (!any) return fail(any.error());
    if (s.should_stop()) return exit_code::interrupted;
    if (deadline && std::chrono::steady_clock::now() >= *deadline) {
      s.out.error_line("timed out; the jobs go on");
      return exit_code::timed_out;
    }
    nothing_yet = nothing_yet && !*any;
    if (nothing_yet) line.tick(false);
    if (*any || open_ == 0) continue;
    end_tails(s);
    std::this_thread::sleep_for(poll_period);
  }
  return exit_code::success;
}

result<exit_code> logs_command::run(session& s) {
  s.patient = follow_;
  auto server = s.server();
  if (!server) return fail(std::move(server.error()));
  if (auto found = find(s, **server); !found) return fail(std::move(found.error()));
  tailing_ = tail_option_->count() > 0;
  return follow_ ? follow_all(s, **server) : read_in_turn(s, **server);
}

}  // namespace

void define_logs(CLI::App& app, command_set& commands) {
  define_verb<logs_command>(app, commands);
}

}  // namespace argosy::ctl
