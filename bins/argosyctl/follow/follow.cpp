// SPDX-License-Identifier: Apache-2.0
#include "bins/argosyctl/follow/follow.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <thread>
#include <vector>

#include "bins/argosyctl/client/job_list.hpp"
#include "bins/argosyctl/client/job_set_feed.hpp"

namespace argosy::ctl {

namespace {

using namespace std::chrono_literals;
using std::chrono::milliseconds;
using std::chrono::steady_clock;

constexpr std::size_t open_feeds_max = 256;
constexpr milliseconds poll_period{250};
constexpr int events_in_a_row = 1'000;

/// One call of follow_jobs().
class follower {
 public:
  follower(session& s, client& server, job_tracker& jobs, const follow_options& options)
      : s_(s),
        server_(server),
        jobs_(jobs),
        options_(options),
        in_turns_(options.job_sets.size() > open_feeds_max) {}

  result<follow_end> run();

 private:
  using maybe_end = result<std::optional<follow_end>>;

  feed_request request_for(const job_set_name& set, const std::string& from, bool follow) const;
  maybe_end open_all();
  maybe_end read_past(job_set_feed& feed);
  result<void> begin_again(const job_set_feed& feed);
  maybe_end poll(job_set_feed& feed, milliseconds wait);
  maybe_end poll_all();
  void take(const api::EventStreamMessage& event);
  [[nodiscard]] std::optional<follow_end> ended(bool past_is_read) const;

  session& s_;
  client& server_;
  job_tracker& jobs_;
  const follow_options& options_;
  const bool in_turns_;
  std::vector<job_set_feed> feeds_;
};

feed_request follower::request_for(const job_set_name& set, const std::string& from,
                                   bool follow) const {
  feed_request request;
  request.queue = set.first;
  request.job_set = set.second;
  request.from = from;
  request.follow = follow;
  request.error_if_missing = false;
  request.patience = s_.patience();
  return request;
}

std::optional<follow_end> follower::ended(bool past_is_read) const {
  if ((past_is_read || options_.early) && options_.done()) return follow_end::done;
  if (s_.should_stop()) return follow_end::interrupted;
  if (options_.deadline && steady_clock::now() >= *options_.deadline) return follow_end::timed_out;
  return std::nullopt;
}

void follower::take(const api::EventStreamMessage& event) {
  const auto text = describe_event(event.message());
  if (options_.all_jobs && !text.job_id.empty()) jobs_.expect(job_reference::of_id(text.job_id));
  const auto* changed = jobs_.apply(text);
  if (options_.on_event && jobs_.follows(text.job_id)) options_.on_event(event, text, changed);
}

/// The server has another history than the one that was followed. Its events are read from their
/// beginning; a job that it does not have any more would never end.
result<void> follower::begin_again(const job_set_feed& feed) {
  s_.out.notice(fmt::format(
      "the server does not have the history any more that was followed, for example since a backup "
      "was put back; the events of job set '{}' are read again from the beginning",
      feed.request().job_set));
  if (options_.all_jobs) return {};
  std::vector<job_reference> open;
  for (const auto& job : jobs_.jobs())
    if (!is_over(job.state)) open.push_back(job.id);
  auto known = resolve_jobs(server_, open);
  if (!known) return fail(std::move(known.error()));
  return {};
}

/// Reads a finite feed to its end.
follower::maybe_end follower::read_past(job_set_feed& feed) {
  api::EventStreamMessage event;
  while (true) {
    auto got = feed.next(event, poll_period);
    if (!got) return fail(std::move(got.error()));
    if (feed.take_restart())
      if (auto again = begin_again(feed); !again) return fail(std::move(again.error()));
    if (*got == stream_reader::event::finished) return std::optional<follow_end>{};
    if (*got == stream_reader::event::item) take(event);
    if (auto end = ended(false)) return end;
    options_.meanwhile(feed.is_away());
  }
}

/// Reads every stream from its start. With `early` nobody needs to know where the past ends.
follower::maybe_end follower::open_all() {
  for (const auto& set : options_.job_sets) {
    auto from = options_.from;
    if (!options_.early && !in_turns_) {
      job_set_feed past{server_, request_for(set, from, false)};
      auto end = read_past(past);
      if (!end || *end) return end;
      from = past.position();
    }
    feeds_.emplace_back(server_, request_for(set, from, !in_turns_));
  }
  return std::optional<follow_end>{};
}

follower::maybe_end follower::poll(job_set_feed& feed, milliseconds wait) {
  if (in_turns_) {
    auto end = read_past(feed);
    feed.again();
    return end;
  }
  api::EventStreamMessage event;
  auto got = feed.next(event, wait);
  for (int i = 0; i < events_in_a_row && got && *got == stream_reader::event::item; ++i) {
    take(event);
    if (options_.done()) return std::optional{follow_end::done};
    got = feed.next(event, 0ms);
  }
  if (!got) return fail(std::move(got.error()));
  if (feed.take_restart())
    if (auto again = begin_again(feed); !again) return fail(std::move(again.error()));
  if (*got == stream_reader::event::finished)
    return fail(ec::unavailable,
                fmt::format("the server ended the events of job set '{}'", feed.request().job_set));
  return std::optional<follow_end>{};
}

follower::maybe_end follower::poll_all() {
  const auto begun = steady_clock::now();
  const auto share =
      std::max<milliseconds>(1ms, poll_period / std::max<std::size_t>(1, feeds_.size()));
  bool away = false;
  for (auto& feed : feeds_) {
    auto wait = share;
    if (options_.deadline)
      wait = std::clamp(
          std::chrono::duration_cast<milliseconds>(*options_.deadline - steady_clock::now()), 1ms,
          share);
    auto end = poll(feed, wait);
    if (!end || *end) return end;
    away = away || feed.is_away();
    if (auto stop = ended(!in_turns_)) return stop;
    options_.meanwhile(away);
  }
  if (in_turns_ || feeds_.empty()) std::this_thread::sleep_until(begun + poll_period);
  return ended(true);
}

result<follow_end> follower::run() {
  auto end = open_all();
  if (end && !*end) end = ended(!in_turns_);
  while (end && !*end) end = poll_all();
  if (!end) return fail(std::move(end.error()));
  return **end;
}

}  // namespace

result<follow_end> follow_jobs(session& s, client& server, job_tracker& jobs,
                               const follow_options& options) {
  auto end = follower{s, server, jobs, options}.run();
  s.out.status("");
  return end;
}

result<std::string> present_position(client& server) {
  auto version = call<argosy::v1::GetVersionResponse>(server, "Query.GetVersion",
                                                      argosy::v1::GetVersionRequest{});
  if (!version) return fail(std::move(version.error()));
  return version->event_id();
}

}  // namespace argosy::ctl
