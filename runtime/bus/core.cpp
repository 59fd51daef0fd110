// SPDX-License-Identifier: Apache-2.0
// Requests, served subjects and streams. How they end is in core_endings.cpp.
#include "runtime/bus/core.hpp"

#include <utility>

#include "runtime/bus/credit_writer.hpp"
#include "runtime/bus/stream_reader.hpp"

namespace argosy::bus {

/// The subscription that serve() hands out.
class core::served final : public subscription::impl {
 public:
  served(std::shared_ptr<core> owner, std::shared_ptr<frame_guard> handler,
         std::unique_ptr<subscription::impl> below)
      : core_(std::move(owner)), handler_(std::move(handler)), below_(std::move(below)) {}
  ~served() override {
    below_.reset();
    handler_->close();
  }

 private:
  std::shared_ptr<core> core_;
  std::shared_ptr<frame_guard> handler_;
  std::unique_ptr<subscription::impl> below_;
};

namespace {

class reader_handle final : public stream::impl {
 public:
  explicit reader_handle(std::shared_ptr<stream_reader> reader) : reader_(std::move(reader)) {}
  ~reader_handle() override { reader_->cancel(); }
  void grant(std::uint32_t items) override { reader_->grant(items); }

 private:
  std::shared_ptr<stream_reader> reader_;
};

}  // namespace

core::core(std::unique_ptr<transport> below, std::shared_ptr<timer_queue> timers)
    : below_(std::move(below)),
      timers_(std::move(timers)),
      status_(std::make_shared<guarded<status_handler>>(status_handler{})) {}

result<void> core::start() {
  const auto weak = weak_from_this();
  below_->start({.on_status =
                     [weak](link_status now) {
                       if (const auto self = weak.lock()) self->on_link(now);
                     },
                 .on_denied =
                     [weak](std::string_view subject) {
                       if (const auto self = weak.lock()) self->on_denied(subject);
                     }});
  for (const auto& pattern : below_->inboxes()) {
    auto inbox = below_->subscribe(pattern, [weak](delivery arrived) {
      if (const auto self = weak.lock()) self->on_inbox(std::move(arrived));
    });
    if (!inbox) return fail(std::move(inbox.error()));
    inboxes_.push_back(std::move(*inbox));
  }
  return {};
}

std::string core::place(std::string_view subject) const {
  return "'" + std::string{subject} + "' at " + below_->server();
}

result<void> core::publish(frame content) {
  if (auto ok = validate_subject(content.subject); !ok) return ok;
  if (auto ok = validate(content.headers); !ok) return ok;
  switch (below_->status()) {
    case link_status::connected:
      break;
    case link_status::disconnected:
      return fail(ec::unreachable, "cannot send " + place(content.subject) +
                                       ": the server cannot be reached; it may be down");
    case link_status::closed:
      return fail(ec::cancelled,
                  "cannot send " + place(content.subject) + ": this connection is closed");
  }
  const auto size = content.data.size() + encoded_size(content.headers);
  if (const auto limit = below_->max_payload(); size > limit)
    return fail(ec::too_large, "a frame of " + std::to_string(size) + " bytes for " +
                                   place(content.subject) + " is over the server's limit of " +
                                   std::to_string(limit) + " bytes");
  return below_->publish(content);
}

std::string core::next_inbox(std::string_view subject) {
  return below_->inbox_for(subject) + "." + std::to_string(++next_token_);
}

std::string core::request(frame content, std::chrono::milliseconds timeout, reply_handler done) {
  if (timeout <= std::chrono::milliseconds::zero()) {
    done(fail(ec::invalid_argument, "a request needs a time-out above zero"));
    return {};
  }
  {
    std::unique_lock lock{mutex_};
    if (closed_) {
      lock.unlock();
      done(fail(ec::cancelled,
                "cannot ask " + place(content.subject) + ": this connection is closed"));
      return {};
    }
    content.reply = next_inbox(content.subject);
    content.headers.set(header::request, content.reply);
    content.headers.set(header::timeout, static_cast<std::uint64_t>(timeout.count()));
    auto expire = [weak = weak_from_this(), inbox = content.reply, subject = content.subject,
                   timeout] {
      const auto self = weak.lock();
      if (!self) return;
      self->give_up(inbox, {ec::timeout, "no reply from " + self->place(subject) + " within " +
                                             std::to_string(timeout.count()) + " ms"});
    };
    const auto timer = timers_->schedule(timeout, std::move(expire));
    pending_.emplace(content.reply, pending{content.subject, std::move(done), timer});
  }
  const auto inbox = content.reply;
  if (auto ok = publish(std::move(content)); !ok)
    finish_request(inbox, fail(std::move(ok.error())));
  return inbox;
}

void core::finish_request(const std::string& inbox, result<frame> outcome) {
  pending ended;
  {
    const std::lock_guard lock{mutex_};
    auto found = pending_.extract(inbox);
    if (found.empty()) return;
    ended = std::move(found.mapped());
    timers_->cancel(ended.timer);
    ++running_replies_;
  }
  ended.done(std::move(outcome));
  ended.done = nullptr;
  const std::lock_guard lock{mutex_};
  --running_replies_;
  idle_.notify_all();
}

result<subscription> core::serve(std::string_view pattern, frame_handler handler) {
  if (auto ok = validate_pattern(pattern); !ok) return fail(std::move(ok.error()));
  auto guard = std::make_shared<frame_guard>(std::move(handler));
  {
    const std::lock_guard lock{mutex_};
    if (closed_)
      return fail(ec::cancelled, "cannot serve " + place(pattern) + ": this connection is closed");
    std::erase_if(served_, [](const auto& known) { return known.expired(); });
    served_.push_back(guard);
  }
  auto below = below_->subscribe(pattern, [weak = weak_from_this(), guard](delivery arrived) {
    if (const auto self = weak.lock()) self->on_served(*guard, std::move(arrived));
  });
  if (!below) return fail(std::move(below.error()));
  return subscription{
      std::make_unique<served>(shared_from_this(), std::move(guard), std::move(*below))};
}

void core::on_served(frame_guard& handler, delivery arrived) {
  if (const auto& reply = arrived.content.reply; !reply.empty() && !is_inbox(reply)) {
    below_->report("a request to '" + arrived.content.subject +
                   "' was dropped: its reply subject '" + reply + "' is no inbox");
    return;
  }
  if (const auto& to = arrived.content; !below_->may_reply(to.subject, to.reply)) {
    below_->report("a request to '" + to.subject +
                   "' was dropped: its answer would go to somebody else, to '" + to.reply + "'");
    return;
  }
  if (arrived.malformed) {
    refuse_malformed(arrived.content);
    return;
  }
  const auto kind = arrived.content.headers.get(header::stream);
  if (kind && *kind != stream_kind::open) {
    on_control(arrived.content, *kind);
    return;
  }
  if (!kind) follow(arrived.content);
  handler.run([&](const frame_handler& call) { call(std::move(arrived.content)); });
}

void core::on_control(const frame& arrived, std::string_view kind) {
  if (const auto number = arrived.headers.get(header::request)) {
    mark_given_up(arrived, *number);
    return;
  }
  if (const auto writer = find_writer(stream_key(arrived))) {
    writer->on_control(kind, arrived);
    return;
  }
  if (kind == stream_kind::cancel || arrived.reply.empty()) return;
  frame out{arrived.reply, {}, {}, {}};
  out.headers.set(header::stream, stream_kind::end);
  set_error(out.headers, {ec::unavailable, "the stream " + place(arrived.subject) +
                                               " is not known any more; open it again"});
  // If it cannot be sent, nothing is done: a reader that misses it gives up by itself.
  static_cast<void>(publish(std::move(out)));
}

stream core::open_stream(frame content, const stream_options& options, stream_events events) {
  std::shared_ptr<stream_reader> reader;
  bool closed = false;
  {
    const std::lock_guard lock{mutex_};
    closed = closed_;
    content.reply = next_inbox(content.subject);
    reader = std::make_shared<stream_reader>(shared_from_this(), content.subject, content.reply,
                                             options, std::move(events));
    if (!closed) readers_.emplace(content.reply, reader);
  }
  reader->mark_open(content.headers);
  if (closed) {
    reader->end(fail(ec::cancelled, "cannot open the stream " + place(content.subject) +
                                        ": this connection is closed"));
  } else {
    reader->start();
    if (auto ok = publish(std::move(content)); !ok) reader->end(fail(std::move(ok.error())));
  }
  return stream{std::make_unique<reader_handle>(std::move(reader))};
}

result<std::shared_ptr<stream_writer>> core::accept_stream(const frame& request,
                                                           stream_writer_events events) {
  const auto kind = request.headers.get(header::stream);
  const auto id = request.headers.get(header::stream_id);
  if (kind != stream_kind::open || request.reply.empty() || !id ||
      request.headers.get_number(header::credit).value_or(0) == 0)
    return fail(ec::invalid_argument,
                place(request.subject) + " serves a stream, but the request is not for one");
  if (auto ok = check_milliseconds(request.headers, header::keepalive); !ok)
    return fail(std::move(ok.error()));
  std::shared_ptr<credit_writer> writer;
  {
    const std::lock_guard lock{mutex_};
    if (closed_) return fail(ec::cancelled, "cannot accept a stream: this connection is closed");
    writer = std::make_shared<credit_writer>(shared_from_this(), request,
                                             next_inbox(request.subject), std::move(events));
    writers_.insert_or_assign(writer->id(), writer);
    writers_.emplace(writer->inbox(), writer);
  }
  if (auto ok = writer->start(); !ok) return fail(std::move(ok.error()));
  return std::shared_ptr<stream_writer>{std::move(writer)};
}

void core::on_status(status_handler handler) {
  auto fresh = std::make_shared<guarded<status_handler>>(std::move(handler));
  {
    const std::lock_guard lock{mutex_};
    std::swap(status_, fresh);
  }
  fresh->close();
}

void core::forget_reader(const std::string& inbox) {
  const std::lock_guard lock{mutex_};
  readers_.erase(inbox);
}

std::shared_ptr<credit_writer> core::find_writer(const std::string& name) {
  const std::lock_guard lock{mutex_};
  const auto found = writers_.find(name);
  return found == writers_.end() ? nullptr : found->second.lock();
}

void core::forget_writer(const std::string& name) {
  const std::lock_guard lock{mutex_};
  writers_.erase(name);
}

}  // namespace argosy::bus
