// SPDX-License-Identifier: Apache-2.0
// logs JOB…: the output of the last run of jobs. To a terminal it is made harmless; into a file or
// a pipe it goes byte by byte.
#include <fmt/format.h>

#include <deque>
#include <thread>

#include "bins/argosyctl/client/job_list.hpp"
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
  argosy::v1::JobSummary job;
  std::uint32_t run = 0;  ///< 0: the last one.
  std::uint64_t offset = 0;
  bool ended = false;
  std::string line;  ///< Begun, but not ended yet.
  std::deque<std::string> tail;
};

class logs_command final : public command {
 public:
  explicit logs_command(CLI::App& app) {
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
  result<exit_code> run(session& s) override;

 private:
  result<bool> read_some(session& s, client& server, source& from);
  result<bool> still_to_come(client& server, const source& from) const;
  void take(session& s, source& from, std::string_view data);
  void put_line(session& s, source& from, std::string line);
  void emit(session& s, const source& from, std::string_view line) const;
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
  bool several_ = false;
  bool tailing_ = false;
};

void logs_command::emit(session& s, const source& from, std::string_view line) const {
  const bool tty = s.out.where().out_is_terminal;
  if (prefix_) s.out.print(s.out.paint(from.job.job_id(), look::faint) + " ");
  s.out.print(tty ? escaped_lines(line) : std::string{line});
}

void logs_command::put_line(session& s, source& from, std::string line) {
  if (!grep_.empty() && line.find(grep_) == std::string::npos) return;
  if (!tailing_) return emit(s, from, line);
  from.tail.push_back(std::move(line));
  if (from.tail.size() > tail_) from.tail.pop_front();
}

void logs_command::take(session& s, source& from, std::string_view data) {
  if (!by_line() && !several_) return emit(s, from, data);
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
  auto now = resolve_jobs(server, {from.job.job_id()});
  if (!now) return fail(std::move(now.error()));
  return !is_over(now->front().state());
}

/// Whether something came.
result<bool> logs_command::read_some(session& s, client& server, source& from) {
  argosy::v1::ReadLogRequest request;
  request.set_job_id(from.job.job_id());
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
  if (from.job.run() == 0 && from.offset == 0 && !follow_)
    s.out.notice(fmt::format("job {} has not run yet; -f waits for its output", from.job.job_id()));
  if (!from.line.empty()) put_line(s, from, std::exchange(from.line, {}) + "\n");
  for (const auto& line : from.tail) emit(s, from, line);
  from.tail.clear();
}

result<exit_code> logs_command::run(session& s) {
  s.patient = follow_;
  auto server = s.server();
  if (!server) return fail(std::move(server.error()));
  auto references = expand_references(words_, s.env, s.in);
  if (!references) return fail(std::move(references.error()));
  auto jobs = resolve_jobs(**server, *references);
  if (!jobs) return fail(std::move(jobs.error()));
  std::vector<source> sources(jobs->size());
  for (std::size_t i = 0; i < jobs->size(); ++i) {
    sources[i].job = std::move((*jobs)[i]);
    if (!previous_) continue;
    if (sources[i].job.run() < 2)
      return fail(ec::not_found,
                  fmt::format("job {} has no run before the last one", sources[i].job.job_id()));
    sources[i].run = sources[i].job.run() - 1;
  }
  several_ = sources.size() > 1;
  tailing_ = tail_option_->count() > 0;
  std::size_t open = sources.size();
  while (open > 0) {
    bool any = false;
    for (auto& from : sources) {
      if (from.ended) continue;
      auto got = read_some(s, **server, from);
      if (!got) return fail(std::move(got.error()));
      any = any || *got;
      if (!from.ended) continue;
      end(s, from);
      --open;
    }
    s.out.flush();
    if (s.should_stop()) return exit_code::interrupted;
    if (any || open == 0) continue;
    if (tailing_) {
      // What there was is read: from here on lines are printed as they come.
      for (auto& from : sources)
        for (; !from.tail.empty(); from.tail.pop_front()) emit(s, from, from.tail.front());
      tailing_ = false;
      s.out.flush();
    }
    std::this_thread::sleep_for(poll_period);
  }
  return exit_code::success;
}

}  // namespace

void define_logs(CLI::App& app, command_set& commands) {
  define_verb<logs_command>(app, commands);
}

}  // namespace argosy::ctl
