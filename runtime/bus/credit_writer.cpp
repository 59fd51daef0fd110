// SPDX-License-Identifier: Apache-2.0
#include "runtime/bus/credit_writer.hpp"

#include <algorithm>
#include <utility>

#include "runtime/bus/caller_headers.hpp"

namespace argosy::bus {

namespace {

constexpr int missed_max = 3;
/// One item of so many asks the server to say whether anybody reads it.
constexpr std::uint64_t asked_each = 16;

timer_queue::duration keepalive_of(const frame& request) {
  const auto asked = request.headers.get_number(header::keepalive).value_or(5'000);
  return std::chrono::milliseconds{std::clamp<std::uint64_t>(asked, 10, 60'000)};
}

}  // namespace

credit_writer::credit_writer(std::shared_ptr<core> owner, const frame& request, std::string inbox,
                             stream_writer_events events)
    : core_(std::move(owner)),
      subject_(request.subject),
      reply_(request.reply),
      id_(stream_key(request)),
      inbox_(std::move(inbox)),
      caller_(caller_key(request, false)),
      keepalive_(keepalive_of(request)),
      events_(std::move(events)),
      granted_(std::min<std::uint64_t>(request.headers.get_number(header::credit).value_or(0),
                                       stream_credit_max)) {}

credit_writer::~credit_writer() {
  const error dropped{ec::unavailable,
                      "the stream " + core_->place(subject_) + " was dropped by its server"};
  close_with(&dropped);
}

result<void> credit_writer::start() {
  {
    const std::lock_guard lock{mutex_};
    heard_at_ = core_->timers().now();
    arm();
  }
  return core_->publish(make_frame(stream_kind::alive));
}

void credit_writer::arm() {
  timer_ = core_->timers().schedule(keepalive_, [weak = weak_from_this()] {
    if (const auto self = weak.lock()) self->on_timer();
  });
}

void credit_writer::on_timer() {
  {
    const std::lock_guard lock{mutex_};
    if (closed_) return;
    if (core_->timers().now() - heard_at_ < missed_max * keepalive_) {
      arm();
      return;
    }
  }
  lose_reader();
}

void credit_writer::lose_reader() {
  abandon({ec::timeout, "the reader of the stream " + core_->place(subject_) + " has gone"});
}

frame credit_writer::make_frame(std::string_view kind) const {
  frame out{reply_, {}, {}, {}};
  out.headers.set(header::stream, kind);
  return out;
}

result<send_state> credit_writer::send(std::string_view data, const headers& with) {
  const std::lock_guard lock{mutex_};
  if (closed_) return send_state::closed;
  if (sent_ >= granted_ || waits_for_rate()) {
    blocked_ = true;
    return send_state::blocked;
  }
  auto out = make_frame(stream_kind::item);
  for (const auto& [name, value] : with) out.headers.set(name, value);
  out.headers.set(header::sequence, sent_ + 1);
  out.data = data;
  if (sent_ % asked_each == 0) out.reply = inbox_;
  // The item is counted before it is published, since in memory that may already run the callback
  // for further credit.
  ++sent_;
  core_->count_answer(caller_, data.size());
  if (auto ok = core_->publish(std::move(out)); !ok) {
    --sent_;
    return fail(std::move(ok.error()));
  }
  return send_state::sent;
}

bool credit_writer::waits_for_rate() {
  const auto wait = core_->answers_wait(caller_);
  if (wait.count() == 0) return false;
  if (!rate_timer_)
    rate_timer_ = core_->timers().schedule(wait, [weak = weak_from_this()] {
      if (const auto self = weak.lock()) self->on_rate();
    });
  return true;
}

void credit_writer::on_rate() {
  {
    const std::lock_guard lock{mutex_};
    rate_timer_.reset();
    if (closed_ || sent_ >= granted_ || !std::exchange(blocked_, false)) return;
  }
  tell_credit();
}

void credit_writer::tell_credit() {
  events_.run([](const stream_writer_events& to) {
    if (to.on_credit) to.on_credit();
  });
}

std::uint64_t credit_writer::credit() const {
  const std::lock_guard lock{mutex_};
  return closed_ || sent_ >= granted_ ? 0 : granted_ - sent_;
}

bool credit_writer::closed() const {
  const std::lock_guard lock{mutex_};
  return closed_;
}

bool credit_writer::mark_closed() {
  {
    const std::lock_guard lock{mutex_};
    if (std::exchange(closed_, true)) return false;
    core_->timers().cancel(timer_);
    if (rate_timer_) core_->timers().cancel(*rate_timer_);
  }
  core_->forget_writer(id_);
  core_->forget_writer(inbox_);
  return true;
}

void credit_writer::close_with(const error* err) {
  if (mark_closed()) {
    auto out = make_frame(stream_kind::end);
    out.headers.set(header::sequence, sent_);
    if (err != nullptr) set_error(out.headers, *err);
    // If it cannot be sent the link is down, which the reader notices by itself.
    static_cast<void>(core_->publish(std::move(out)));
  }
  events_.close();
}

void credit_writer::finish() {
  close_with(nullptr);
}

void credit_writer::finish(const error& err) {
  close_with(&err);
}

void credit_writer::abandon(const error& why) {
  if (!mark_closed()) return;
  events_.run_last([&](const stream_writer_events& to) {
    if (to.on_cancel) to.on_cancel(why);
  });
}

void credit_writer::on_control(std::string_view kind, const frame& arrived) {
  if (kind == stream_kind::cancel) {
    abandon({ec::cancelled, "the reader cancelled the stream " + core_->place(subject_)});
    return;
  }
  bool wake = false;
  {
    const std::lock_guard lock{mutex_};
    if (closed_) return;
    heard_at_ = core_->timers().now();
    // Credit is a total, so that a frame that is lost or comes twice does no harm.
    const auto granted = arrived.headers.get_number(header::credit).value_or(0);
    granted_ = std::max(granted_, std::min<std::uint64_t>(granted, sent_ + stream_credit_max));
    if (blocked_ && sent_ < granted_) wake = std::exchange(blocked_, false);
  }
  if (kind == stream_kind::keepalive)
    static_cast<void>(core_->publish(make_frame(stream_kind::alive)));
  if (wake) tell_credit();
}

}  // namespace argosy::bus
