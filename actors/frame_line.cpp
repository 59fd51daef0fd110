// SPDX-License-Identifier: Apache-2.0
#include "actors/frame_line.hpp"

#include <caf/actor_addr.hpp>
#include <caf/actor_cast.hpp>
#include <caf/send.hpp>
#include <caf/typed_event_based_actor.hpp>

#include <iterator>
#include <utility>

namespace argosy::actors {

namespace {

/// The actors that answer take one question after the other, so that more at a time are no faster.
constexpr std::uint64_t questions_each = 4;
constexpr std::uint64_t questions_all = 1 << 20;

/// So many small requests, or one large one, are served before what has arrived meanwhile is taken
/// into the line.
constexpr int turns_max = 8;
constexpr std::size_t large_bytes = 64 << 10;

bool nobody_waits_for(const bus::frame& frame) {
  return frame.given_up && *frame.given_up;
}

}  // namespace

frame_line::frame_line(std::function<void()> wake)
    : under_way_(std::make_shared<border::shares>(
          border::share_limits{.own = questions_each, .all = questions_all})),
      release_(std::make_shared<release>()) {
  release_->wake = std::move(wake);
}

bool frame_line::add(const std::string& caller, native::frame_ptr frame, bool is_question) {
  line_.push(caller, {caller, std::move(frame), is_question, trace::current()});
  return !release_->is_due.exchange(true);
}

bool frame_line::serve_some(const std::function<void(const native::frame_ptr&)>& serve) {
  release_->is_due = false;
  try_held_again();
  for (int turns = 0; turns < turns_max && !line_.empty();) {
    auto next = line_.pop();
    if (nobody_waits_for(*next.frame)) continue;
    if (next.is_question) {
      auto taken = under_way_->take(next.caller);
      if (!taken.held) {
        hold(std::move(next));
        continue;
      }
      next.frame = counted(std::move(next.frame), std::move(taken.held));
      try_again(held_.find(next.caller));
    }
    const trace::scope cause{next.cause};
    serve(next.frame);
    turns = next.frame->data.size() < large_bytes ? turns + 1 : turns_max;
  }
  // One may have ended before it was said that others wait for that.
  const bool goes_on = !line_.empty() || (!held_.empty() && release_->freed);
  return goes_on && !release_->is_due.exchange(true);
}

void frame_line::hold(waiting question) {
  release_->has_held = true;
  auto& own = held_[question.caller];
  if (std::exchange(question.was_held, true))
    own.push_front(std::move(question));
  else
    own.push_back(std::move(question));
}

/// Puts the first question of a caller into the line again. Returns the next caller.
frame_line::held_questions::iterator frame_line::try_again(held_questions::iterator caller) {
  if (caller == held_.end()) return caller;
  auto& own = caller->second;
  line_.push(caller->first, std::move(own.front()));
  own.pop_front();
  return own.empty() ? held_.erase(caller) : std::next(caller);
}

void frame_line::try_held_again() {
  if (!release_->freed.exchange(false)) return;
  for (auto each = held_.begin(); each != held_.end();) each = try_again(each);
  release_->has_held = !held_.empty();
}

/// The same frame, which gives its place back when the last one who works on it lets go.
native::frame_ptr frame_line::counted(native::frame_ptr frame, border::shares::place place) {
  const auto* const raw = frame.get();
  return {raw, [frame = std::move(frame), place = std::move(place),
                release = release_](const bus::frame*) mutable {
            frame.reset();
            place.reset();
            release->freed = true;
            if (release->has_held && !release->is_due.exchange(true)) release->wake();
          }};
}

std::function<void()> wake_up(const gateway_actor::base* gateway) {
  // The address is weak: frames may outlive the actors.
  return [to = caf::actor_addr{gateway->address()}] {
    if (const auto living = caf::actor_cast<gateway_actor>(to))
      caf::anon_send(living, atom::flush_v);
  };
}

}  // namespace argosy::actors
