// SPDX-License-Identifier: Apache-2.0
#include "runtime/bus/stream_reader.hpp"

#include <algorithm>
#include <utility>

namespace argosy::bus {

namespace {

constexpr int keepalives_missed_max = 3;

stream_options within_limits(stream_options options) {
  options.credit = std::clamp(options.credit, 1u, stream_credit_max);
  options.keepalive = std::clamp(options.keepalive, std::chrono::milliseconds{10},
                                 std::chrono::milliseconds{60'000});
  return options;
}

}  // namespace

stream_reader::stream_reader(std::shared_ptr<core> owner, std::string subject, std::string inbox,
                             const stream_options& options, stream_events events)
    : core_(std::move(owner)),
      subject_(std::move(subject)),
      inbox_(std::move(inbox)),
      options_(within_limits(options)),
      events_(std::move(events)),
      granted_(options_.credit) {}

void stream_reader::mark_open(headers& target) const {
  target.set(header::stream, stream_kind::open);
  target.set(header::stream_id, inbox_);
  target.set(header::credit, std::uint64_t{options_.credit});
  target.set(header::keepalive, static_cast<std::uint64_t>(options_.keepalive.count()));
}

void stream_reader::start() {
  const std::lock_guard lock{mutex_};
  opened_at_ = heard_at_ = core_->timers().now();
  if (!ended_) arm();
}

void stream_reader::arm() {
  const auto delay =
      accepted_ ? timer_queue::duration{options_.keepalive}
                : std::min<timer_queue::duration>(options_.keepalive, options_.open_timeout);
  timer_ = core_->timers().schedule(delay, [weak = weak_from_this()] {
    if (const auto self = weak.lock()) self->on_timer();
  });
}

void stream_reader::on_timer() {
  std::uint64_t granted = 0;
  bool accepted = false;
  error silent{ec::none, {}};
  {
    const std::lock_guard lock{mutex_};
    if (ended_) return;
    const auto now = core_->timers().now();
    accepted = accepted_;
    granted = granted_;
    if (!accepted_ && now - opened_at_ >= options_.open_timeout) {
      silent = {ec::timeout, "the stream " + core_->place(subject_) + " was not accepted within " +
                                 std::to_string(options_.open_timeout.count()) + " ms"};
    } else if (accepted_ && now - heard_at_ >= keepalives_missed_max * options_.keepalive) {
      silent = {ec::unreachable, "the writer of the stream " + core_->place(subject_) +
                                     " has been silent for too long"};
    } else {
      arm();
    }
  }
  if (silent.code != ec::none)
    end(fail(std::move(silent)));
  else if (accepted)
    control(stream_kind::keepalive, granted);
}

void stream_reader::on_frame(frame arrived) {
  const auto kind = arrived.headers.get(header::stream);
  auto err = get_error(arrived.headers);
  if (!kind) {
    end(err ? fail(std::move(*err))
            : fail(ec::corrupt, core_->place(subject_) + " gave one reply instead of a stream"));
    return;
  }
  std::uint64_t received = 0;
  {
    const std::lock_guard lock{mutex_};
    if (ended_) return;
    heard_at_ = core_->timers().now();
    accepted_ = true;
    received = received_;
  }
  if (*kind == stream_kind::item) {
    on_item(std::move(arrived));
  } else if (*kind == stream_kind::end) {
    if (err)
      end(fail(std::move(*err)));
    else if (arrived.headers.get_number(header::sequence) != received)
      end(fail(ec::unreachable, "items of the stream " + core_->place(subject_) + " were lost"));
    else
      end({});
  }
}

void stream_reader::on_item(frame arrived) {
  bool in_order = false;
  {
    const std::lock_guard lock{mutex_};
    in_order = arrived.headers.get_number(header::sequence) == received_ + 1;
    if (in_order) ++received_;
  }
  if (!in_order) {
    control(stream_kind::cancel, 0);
    end(fail(ec::unreachable, "an item of the stream " + core_->place(subject_) + " was lost"));
    return;
  }
  events_.run([&](const stream_events& to) {
    if (to.on_item) to.on_item(std::move(arrived));
  });
  if (!options_.manual_grants) consumed(1);
}

void stream_reader::grant(std::uint32_t items) {
  if (options_.manual_grants) consumed(items);
}

void stream_reader::consumed(std::uint64_t items) {
  std::uint64_t granted = 0;
  {
    const std::lock_guard lock{mutex_};
    if (ended_) return;
    consumed_ = std::min(consumed_ + items, received_);
    const auto target = consumed_ + options_.credit;
    // Credit is granted in steps of half the window, so that there is not a message for every item.
    if (target - granted_ < std::max(1u, options_.credit / 2)) return;
    granted = granted_ = target;
  }
  control(stream_kind::grant, granted);
}

void stream_reader::control(std::string_view kind, std::uint64_t credit) {
  frame out{subject_, inbox_, {}, {}};
  out.headers.set(header::stream, kind);
  out.headers.set(header::stream_id, inbox_);
  out.headers.set(header::credit, credit);
  // A failure shows as silence, or has already ended the stream.
  static_cast<void>(core_->publish(std::move(out)));
}

void stream_reader::leave() {
  {
    const std::lock_guard lock{mutex_};
    ended_ = true;
    core_->timers().cancel(timer_);
  }
  core_->forget_reader(inbox_);
}

void stream_reader::end(result<void> outcome) {
  const auto self = shared_from_this();
  leave();
  events_.run_last([&](const stream_events& to) {
    if (to.on_end) to.on_end(std::move(outcome));
  });
}

void stream_reader::cancel() {
  const auto self = shared_from_this();
  bool tell = false;
  {
    const std::lock_guard lock{mutex_};
    tell = !ended_;
  }
  leave();
  events_.close();
  if (tell) control(stream_kind::cancel, 0);
}

}  // namespace argosy::bus
