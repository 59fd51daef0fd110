// SPDX-License-Identifier: Apache-2.0
#include "bins/argosyctl/verbs/jobs/attend.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <thread>

#include "bins/argosyctl/client/job_list.hpp"
#include "bins/argosyctl/follow/waiting_line.hpp"
#include "bins/argosyctl/output/event_text.hpp"
#include "bins/argosyctl/output/text.hpp"

namespace argosy::ctl {

namespace {

constexpr std::uint32_t log_chunk_size = 256u << 10;
constexpr std::chrono::milliseconds look_period{200};
/// How long the rest of the output of a job that has ended is waited for.
constexpr std::chrono::seconds rest_patience{5};

/// How far the output of one run was read.
struct reading {
  std::uint32_t run = 0;  ///< 0: none yet.
  std::uint64_t offset = 0;
  std::string mark{};      ///< The server gave it with the offset.
  std::string position{};  ///< The agent gave it with the offset.
  bool all = false;
  std::optional<error> trouble{};  ///< Why it could not be read the last time.
};

class attendant {
 public:
  attendant(session& s, client& server, const attended_job& job, bool cancels)
      : s_(s), server_(server), job_(job), cancels_(cancels), deadline_(s.deadline()) {}

  result<exit_code> run();

 private:
  result<void> look();
  result<void> read_output();
  [[nodiscard]] bool is_finished();
  void say_lack(const std::string& what);
  void turn_to_run(std::uint32_t run);
  exit_code told_end();
  exit_code stopped(exit_code why);

  session& s_;
  client& server_;
  const attended_job& job_;
  bool cancels_;
  std::optional<std::chrono::steady_clock::time_point> deadline_;
  job_reference reference_ = job_reference::of_id(job_.id);
  argosy::v1::JobSummary now_;
  std::optional<std::chrono::steady_clock::time_point> away_since_;
  std::optional<std::chrono::steady_clock::time_point> over_since_;
  reading at_;
  bool lacks_some_ = false;  ///< Some of the output could not be had, which was said.
};

/// Asks for the state of the job. A server that is away for a while is waited for.
result<void> attendant::look() {
  auto found = resolve_jobs(server_, {reference_});
  if (found) {
    now_ = std::move(found->front());
    away_since_.reset();
    return {};
  }
  if (!may_recover(found.error().code)) return fail(std::move(found.error()));
  const auto now = std::chrono::steady_clock::now();
  if (!away_since_) {
    away_since_ = now;
    s_.out.notice(found.error().detail);
  }
  if (now - *away_since_ < s_.patience()) return {};
  found.error().detail += fmt::format("; the job goes on: argosyctl logs -f {}", job_.id);
  return fail(std::move(found.error()));
}

void attendant::say_lack(const std::string& what) {
  s_.out.error_line(what);
  lacks_some_ = true;
}

void attendant::turn_to_run(std::uint32_t run) {
  // A run that was given back before it began has no output, and no such error.
  if (at_.run != 0 && at_.trouble && at_.trouble->code != ec::not_found)
    say_lack(
        fmt::format("the output of run {} could not be read: {}", at_.run, at_.trouble->detail));
  if (at_.run != 0) s_.out.notice(fmt::format("run {} of the job begins", run));
  at_ = {run};
}

/// Prints what there is of the present run's output.
result<void> attendant::read_output() {
  // An earlier run is read to its end before the next one.
  if (now_.run() != at_.run && (at_.run == 0 || at_.all || at_.trouble)) turn_to_run(now_.run());
  if (at_.run == 0) return {};
  while (!at_.all && !s_.should_stop()) {
    argosy::v1::ReadLogRequest request;
    request.set_job_id(job_.id);
    request.set_run(at_.run);
    request.set_offset(at_.offset);
    request.set_size_max(log_chunk_size);
    request.set_mark(at_.mark);
    request.set_position(at_.position);
    request.set_follow(true);
    const auto chunk = call<argosy::v1::ReadLogResponse>(server_, "Logs.Read", request);
    at_.trouble = chunk ? std::nullopt : std::optional{chunk.error()};
    if (!chunk && chunk.error().code == ec::conflict && !at_.mark.empty()) {
      // What was printed is of a run that this server does not know.
      s_.out.notice(chunk.error().detail);
      at_ = {};
      return {};
    }
    // The output of a run that has only begun is not there yet, and a cluster may serve none.
    if (!chunk) return {};
    model::for_each_turn(chunk->data(), chunk->turns(),
                         [this](auto of, std::string_view text) { s_.out.print_output(of, text); });
    s_.out.flush();
    // Offsets count what the job wrote, so that only the line about a gap has another size.
    if (const auto size = chunk->next_offset() - at_.offset;
        chunk->next_offset() > at_.offset && size != chunk->data().size())
      say_lack(fmt::format("{} bytes of output were not kept", size));
    at_.offset = chunk->next_offset();
    at_.mark = chunk->mark();
    at_.position = chunk->position();
    if (!chunk->lost().empty()) say_lack(chunk->lost());
    at_.all = chunk->end();
    if (chunk->data().empty()) break;
  }
  return {};
}

/// Whether the job has ended and its output was read, or will not come.
bool attendant::is_finished() {
  if (away_since_ || !is_over(now_.state())) return false;
  if (now_.run() == 0 || (at_.all && at_.run == now_.run())) return true;
  const auto now = std::chrono::steady_clock::now();
  if (!over_since_) over_since_ = now;
  if (now - *over_since_ <
      std::min<std::chrono::steady_clock::duration>(rest_patience, 50 * s_.refresh_period))
    return false;
  say_lack(fmt::format("the rest of the output could not be read{}; try: argosyctl logs {}",
                       at_.trouble ? ": " + at_.trouble->detail : std::string{}, job_.id));
  return true;
}

exit_code attendant::told_end() {
  const auto state = now_.state();
  if (state == api::JobState::SUCCEEDED)
    return lacks_some_ ? exit_code::incomplete : exit_code::success;
  s_.out.notice(fmt::format("job {} {}{}", job_.id, state_name(state),
                            now_.reason().empty() ? "" : ": " + escaped(now_.reason())));
  const auto own = now_.exit_code();
  if (state == api::JobState::FAILED && now_.has_exit_code() && own > 0 && own < 256)
    return static_cast<exit_code>(own);
  return exit_code_of(state);
}

exit_code attendant::stopped(exit_code why) {
  if (!cancels_) {
    s_.out.notice(
        fmt::format("the job goes on; see its output with: argosyctl logs -f {0}, or end "
                    "it with: argosyctl cancel {0}",
                    job_.id));
    return why;
  }
  api::JobCancelRequest request;
  request.set_queue(job_.queue);
  request.set_job_set_id(job_.job_set);
  request.add_job_ids(job_.id);
  request.set_reason("argosyctl run --rm ended");
  const auto done = call<api::CancellationResult>(server_, "Submit.CancelJobs", request);
  if (done)
    s_.out.notice(fmt::format("job {} is being cancelled", job_.id));
  else
    s_.out.error_line(fmt::format("job {0} could not be cancelled: {1}; try: argosyctl cancel {0}",
                                  job_.id, done.error().detail));
  return why;
}

result<exit_code> attendant::run() {
  job_tracker waiting{told_by::listings};
  waiting.expect(reference_);
  waiting_line line{s_, server_, waiting,
                    [](const tracked_job& job) { return !is_over(job.state); },
                    [](const tracked_job&) {}};
  while (true) {
    if (s_.should_stop()) return stopped(exit_code::interrupted);
    if (auto looked = look(); !looked) return fail(std::move(looked.error()));
    if (auto read = read_output(); !read) return fail(std::move(read.error()));
    if (is_finished()) break;
    if (deadline_ && std::chrono::steady_clock::now() >= *deadline_) {
      s_.out.error_line(at_.run == 0 ? "timed out: " + line.text() : "timed out");
      return stopped(exit_code::timed_out);
    }
    if (at_.run == 0) line.tick(away_since_.has_value());
    std::this_thread::sleep_for(std::min(look_period, s_.refresh_period));
  }
  s_.out.status("");
  return told_end();
}

}  // namespace

result<exit_code> attend_job(session& s, client& server, const attended_job& job, bool cancels) {
  return attendant{s, server, job, cancels}.run();
}

}  // namespace argosy::ctl
