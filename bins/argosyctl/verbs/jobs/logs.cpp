// SPDX-License-Identifier: Apache-2.0
// The verb logs JOB…: prints the output of the last run of jobs, one job after the other, or with
// -f all as it comes, each stream to its own. On a terminal it is escaped; into a file or a pipe it
// goes byte by byte.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <cstdint>
#include <deque>
#include <future>
#include <memory>
#include <optional>
#include <string>
#include <thread>

#include "bins/argosyctl/client/job_list.hpp"
#include "bins/argosyctl/client/job_reference.hpp"
#include "bins/argosyctl/follow/waiting_line.hpp"
#include "bins/argosyctl/output/event_text.hpp"
#include "bins/argosyctl/output/text.hpp"
#include "bins/argosyctl/verbs/command.hpp"
#include "bins/argosyctl/verbs/moment.hpp"
#include "messages/codec/packed_output.hpp"
#include "runtime/model/log_turns.hpp"

namespace argosy::ctl {

namespace {

struct output_line {
  model::output_stream of = model::output_stream::out;
  std::string text{};
};

/// The output of one job as it is read.
struct source {
  job_reference job;
  bool has_run = false;
  std::uint32_t run = 0;  ///< The number of the run; 0: the last one.
  std::uint64_t offset = 0;
  std::string mark{};       ///< The server gave it with the offset.
  std::string position{};   ///< The agent gave it with the offset.
  std::string container{};  ///< Empty: the first one.
  bool ended = false;
  bool gaps = false;          ///< Some of it is gone, which was said.
  std::uint64_t missing = 0;  ///< How many bytes of it were not kept.
  bool silent = false;        ///< Its cluster is not heard, as listed.
  std::optional<std::chrono::steady_clock::time_point> away_since{};
  std::array<std::string, 2> begun{};  ///< The line of each stream that has not ended yet.
  std::deque<output_line> tail{};

  /// Whether some of what was asked for is gone.
  [[nodiscard]] bool lacks_some() const { return gaps || missing > 0; }
  /// Its name before each line.
  [[nodiscard]] std::string name() const {
    return std::string{job.text()} + (container.empty() ? "" : "/" + container);
  }
};

/// Fewer questions are faster; an answer fits into a frame of the usual size, a mebibyte.
constexpr std::uint32_t chunk_size_max = 768u << 10;
constexpr std::size_t line_size_max = 1u << 20;
constexpr std::chrono::milliseconds poll_period{200};
constexpr auto follow_again = "the jobs go on; the same command follows their output again";

using model::output_stream;

/// The code of several sources: one that could not be asked is worse than one that is not there,
/// and that is worse than one of which some is gone.
exit_code worse(exit_code one, exit_code other) {
  const auto rank = [](exit_code code) {
    return code == exit_code::unreachable  ? 3
           : code == exit_code::not_found  ? 2
           : code == exit_code::incomplete ? 1
                                           : 0;
  };
  return rank(other) > rank(one) ? other : one;
}

class logs_command final : public command {
 public:
  explicit logs_command(CLI::App& app) {
    app.footer(
        "argosyctl logs 01k9x2\n"
        "argosyctl logs -f @last --prefix\n"
        "argosyctl logs 01k9x2 --tail 20 --grep ERROR\n"
        "argosyctl logs 01k9x2 --all-containers --since 10m");
    app.add_option("jobs", words_, "Ids or their beginnings, @last, or - for stdin")
        ->required()
        ->type_name("JOB");
    app.add_flag("-f,--follow", follow_, "Go on until the jobs have ended");
    app.add_flag("--previous", previous_, "Of the run before the last one");
    tail_option_ =
        app.add_option("--tail", tail_, "Only the last N lines of what there is")->type_name("N");
    app.add_option("--since", since_, "Only what was written since then, as 10m or a time; of pods")
        ->type_name("TIME");
    auto* const one = app.add_option("--container", container_,
                                     "Of this container of the pod, which may be an init container")
                          ->type_name("NAME");
    app.add_flag("--all-containers", all_containers_, "Of all containers, init containers first")
        ->excludes(one);
    app.add_flag("--prefix", prefix_, "Begin every line with the job's id, and the container");
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
  result<void> find_containers(session& s, client& server);
  result<exit_code> read_in_turn(session& s, client& server);
  result<exit_code> follow_all(session& s, client& server);
  result<bool> round(session& s, client& server);
  result<bool> read_some(session& s, client& server, source& from);
  result<argosy::v1::ReadLogResponse> ask(session& s, client& server,
                                          const argosy::v1::ReadLogRequest& request,
                                          bool once) const;
  result<bool> nothing_now(session& s, source& from, error why);
  result<bool> still_to_come(client& server, const source& from) const;
  void take(session& s, source& from, output_stream of, std::string_view data);
  void put_line(session& s, source& from, output_line line);
  void emit(session& s, const source& from, output_stream of, std::string_view text) const;
  void end_tails(session& s);
  void end(session& s, source& from);
  [[nodiscard]] bool by_line() const {
    return prefix_ || !grep_.empty() || tail_option_->count() > 0;
  }

  std::vector<std::string> words_;
  bool follow_ = false;
  bool previous_ = false;
  bool prefix_ = false;
  std::string since_;
  std::int64_t since_ns_ = 0;  ///< It is 0 without --since.
  std::string container_;
  bool all_containers_ = false;
  std::uint32_t tail_ = 0;
  CLI::Option* tail_option_ = nullptr;
  std::string grep_;
  std::vector<source> sources_;
  job_tracker waiting_{told_by::listings};  ///< Those without output: what they wait for.
  std::size_t open_ = 0;
  std::size_t away_ = 0;  ///< The number of jobs whose output cannot be read now.
  std::optional<std::chrono::steady_clock::time_point> deadline_;
  bool tailing_ = false;
};

void logs_command::emit(session& s, const source& from, output_stream of,
                        std::string_view text) const {
  s.out.print_output(of, text, prefix_ ? from.name() + " " : std::string{});
}

void logs_command::put_line(session& s, source& from, output_line line) {
  if (!grep_.empty() && line.text.find(grep_) == std::string::npos) return;
  if (!tailing_) return emit(s, from, line.of, line.text);
  from.tail.push_back(std::move(line));
  if (from.tail.size() > tail_) from.tail.pop_front();
}

void logs_command::take(session& s, source& from, output_stream of, std::string_view data) {
  if (!by_line() && sources_.size() == 1) return emit(s, from, of, data);
  auto& begun = from.begun[static_cast<std::size_t>(of)];
  while (!data.empty()) {
    const auto newline = data.find('\n');
    const auto size = newline == std::string_view::npos ? data.size() : newline + 1;
    begun += data.substr(0, size);
    data.remove_prefix(size);
    if (newline != std::string_view::npos || begun.size() > line_size_max)
      put_line(s, from, {of, std::exchange(begun, {})});
  }
}

/// Whether a job without output so far may still get some.
result<bool> logs_command::still_to_come(client& server, const source& from) const {
  auto now = resolve_jobs(server, {from.job});
  if (!now) return fail(std::move(now.error()));
  return !is_over(now->front().state());
}

/// Whoever follows does not wait for an answer beyond his time, nor after Ctrl-C. One that is asked
/// `once` is not asked again while nobody can answer.
result<argosy::v1::ReadLogResponse> logs_command::ask(session& s, client& server,
                                                      const argosy::v1::ReadLogRequest& request,
                                                      bool once) const {
  constexpr std::string_view method = "Logs.Read";
  if (!once) return call<argosy::v1::ReadLogResponse>(server, method, request);
  auto promise = std::make_shared<std::promise<result<std::string>>>();
  auto answer = promise->get_future();
  server.start(method, request.SerializeAsString(),
               [promise](result<std::string> data) { promise->set_value(std::move(data)); });
  while (answer.wait_for(poll_period) != std::future_status::ready)
    if (s.should_stop() || (deadline_ && std::chrono::steady_clock::now() >= *deadline_))
      return fail(ec::timeout, "no answer has come yet");
  const auto data = answer.get();
  if (!data) return fail(data.error());
  return decoded<argosy::v1::ReadLogResponse>(method, *data);
}

/// The server or the agent is away: it is said once, and tried again. A server that stays away ends
/// the following.
result<bool> logs_command::nothing_now(session& s, source& from, error why) {
  const auto now = std::chrono::steady_clock::now();
  if (!from.away_since) {
    from.away_since = now;
    if (away_++ == 0 && !s.should_stop()) s.out.notice(why.detail);
  }
  if (why.code != ec::unavailable && now - *from.away_since > s.patience())
    return fail(std::move(why));
  return false;
}

/// Reads some output; returns whether any came.
result<bool> logs_command::read_some(session& s, client& server, source& from) {
  argosy::v1::ReadLogRequest request;
  request.set_job_id(from.job.str());
  request.set_run(from.run);
  request.set_offset(from.offset);
  request.set_size_max(chunk_size_max);
  request.set_mark(from.mark);
  request.set_container(from.container);
  request.set_position(from.position);
  request.set_follow(follow_);
  request.set_unpacks(true);
  request.set_since_ns(since_ns_);
  if (tailing_) request.set_tail_lines(tail_);
  auto chunk = ask(s, server, request, follow_ || from.silent);
  if (!chunk && follow_ && may_recover(chunk.error().code))
    return nothing_now(s, from, std::move(chunk.error()));
  if (std::exchange(from.away_since, std::nullopt)) --away_;
  if (!chunk && chunk.error().code == ec::conflict && !from.mark.empty()) {
    s.out.notice(fmt::format("job {}: {}", from.job.text(), chunk.error().detail));
    auto container = std::move(from.container);
    from = source{from.job, from.has_run};
    from.container = std::move(container);
    return true;
  }
  if (!chunk && chunk.error().code == ec::not_found && follow_ && from.offset == 0) {
    auto more = still_to_come(server, from);
    if (!more) return fail(std::move(more.error()));
    if (*more) return false;
  }
  if (!chunk) return fail(std::move(chunk.error()));
  if ((since_ns_ != 0 || !from.container.empty()) && chunk->position().empty() &&
      !chunk->data().empty())
    return fail(ec::invalid_argument,
                fmt::format("the output of job {} is not that of a pod, or its agent is of an "
                            "earlier version; read it without --since and --container",
                            from.job.text()));
  if (chunk->packed()) {
    auto unpacked = codec::unpack_output(chunk->data());
    if (!unpacked) return fail(std::move(unpacked.error()));
    chunk->set_data(std::move(*unpacked));
  }
  if (from.run == 0) from.run = chunk->run();
  if (!chunk->lost().empty()) {
    from.gaps = true;
    s.out.error_line(fmt::format("job {}: {}", from.name(), chunk->lost()));
  }
  model::for_each_turn(chunk->data(), chunk->turns(),
                       [&](auto of, std::string_view text) { take(s, from, of, text); });
  // Offsets count what the job wrote, so that only the line about a gap has another size.
  if (const auto size = chunk->next_offset() - from.offset;
      chunk->next_offset() > from.offset && size != chunk->data().size())
    from.missing += size;
  from.offset = chunk->next_offset();
  from.mark = chunk->mark();
  from.position = chunk->position();
  if (chunk->end() || (chunk->data().empty() && !follow_)) from.ended = true;
  return !chunk->data().empty();
}

void logs_command::end(session& s, source& from) {
  if (!from.has_run && from.offset == 0 && !follow_)
    s.out.notice(fmt::format("job {} has not run yet; -f waits for its output", from.job.text()));
  for (const auto of : {output_stream::out, output_stream::err})
    if (auto& begun = from.begun[static_cast<std::size_t>(of)]; !begun.empty())
      put_line(s, from, {of, std::exchange(begun, {}) + "\n"});
  for (const auto& line : from.tail) emit(s, from, line.of, line.text);
  from.tail.clear();
  // The line in the output need not be among the last ones, nor fit --grep.
  if (from.missing > 0)
    s.out.notice(fmt::format("{} bytes of the output of job {} were not kept", from.missing,
                             from.job.text()));
}

result<void> logs_command::find(session& s, client& server) {
  auto references = expand_references(words_, s.last_jobs(), s.in);
  if (!references) return fail(std::move(references.error()));
  std::optional<std::string> without;
  auto done = for_each_resolved(server, *references, [&](argosy::v1::JobSummary& job) {
    auto& from = sources_.emplace_back(source{job_reference::of_id(job.job_id()), job.run() != 0});
    from.silent = job.cluster_silent();
    from.container = container_;
    if (job.run() == 0) waiting_.expect(job);
    if (!previous_) return !s.is_interrupted();
    if (job.run() < 2) without = job.job_id();
    from.run = job.run() - 1;
    return !without && !s.is_interrupted();
  });
  if (without)
    return fail(ec::not_found, fmt::format("job {} has no run before the last one", *without));
  if (done && all_containers_) return find_containers(s, server);
  return done;
}

/// Makes a source of each container, those first that run first.
result<void> logs_command::find_containers(session& s, client& server) {
  std::vector<job_reference> ids;
  for (const auto& each : sources_) ids.push_back(each.job);
  std::vector<source> all;
  auto done = for_each_job(server, ids, [&](const api::JobDetails& job) {
    const auto of = std::ranges::find_if(
        sources_, [&](const auto& each) { return each.job.text() == job.job_id(); });
    if (of == sources_.end()) return true;
    const auto add = [&](const auto& containers) {
      for (const auto& each : containers) {
        all.push_back(*of);
        all.back().container = each.name();
      }
    };
    add(job.job_spec().pod_spec().initcontainers());
    add(job.job_spec().pod_spec().containers());
    return !s.is_interrupted();
  });
  if (done) sources_ = std::move(all);
  return done;
}

/// Prints all output, one job after the other.
result<exit_code> logs_command::read_in_turn(session& s, client& server) {
  auto code = exit_code::success;
  for (auto& from : sources_) {
    while (!from.ended) {
      auto got = read_some(s, server, from);
      if (!got && all_containers_ && got.error().code == ec::not_found) {
        // The others may have begun.
        s.out.error_line(fmt::format("job {}: {}", from.name(), got.error().detail));
        code = worse(code, exit_code::not_found);
        from.ended = true;
        continue;
      }
      if (!got && from.silent && got.error().code == ec::unavailable) {
        s.out.error_line(fmt::format("job {}: {}", from.name(), got.error().detail));
        code = worse(code, exit_code::unreachable);
        from.ended = true;
        continue;
      }
      if (!got) return fail(std::move(got.error()));
      if (s.should_stop()) return exit_code::interrupted;
    }
    end(s, from);
    s.out.flush();
    if (from.lacks_some()) code = worse(code, exit_code::incomplete);
  }
  return code;
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
    for (; !from.tail.empty(); from.tail.pop_front())
      emit(s, from, from.tail.front().of, from.tail.front().text);
  tailing_ = false;
  s.out.flush();
}

result<exit_code> logs_command::follow_all(session& s, client& server) {
  deadline_ = s.deadline();
  open_ = sources_.size();
  waiting_line line{s, server, waiting_, [](const tracked_job& job) { return !is_over(job.state); },
                    [](const tracked_job&) {}};
  bool nothing_yet = waiting_.jobs().size() == sources_.size();
  while (open_ > 0) {
    const auto any = round(s, server);
    if (!any) return fail(any.error());
    if (s.should_stop()) {
      if (s.is_interrupted()) s.out.notice(follow_again);
      return exit_code::interrupted;
    }
    nothing_yet = nothing_yet && !*any;
    if (deadline_ && std::chrono::steady_clock::now() >= *deadline_) {
      s.out.error_line(nothing_yet ? "timed out: " + line.text() : "timed out");
      s.out.notice(follow_again);
      return exit_code::timed_out;
    }
    if (nothing_yet) line.tick(false);
    if (*any || open_ == 0) continue;
    end_tails(s);
    std::this_thread::sleep_for(poll_period);
  }
  return std::ranges::any_of(sources_, &source::lacks_some) ? exit_code::incomplete
                                                            : exit_code::success;
}

result<exit_code> logs_command::run(session& s) {
  s.patient = follow_;
  const auto since = moment_of(since_, "--since", s.now_ns());
  if (!since) return fail(since.error());
  since_ns_ = *since;
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
