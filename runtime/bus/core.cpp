// SPDX-License-Identifier: Apache-2.0
// Requests, served subjects and streams of a connection, and how all that it has open ends: by an
// answer, when the link is lost, when the server refuses a subject, and when the connection is
// closed.
#include "runtime/bus/core.hpp"

#include <algorithm>
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
                                   std::to_string(limit) + " bytes; raise its max_payload");
  return below_->publish(std::move(content));
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

void core::on_link(link_status now) {
  if (now == link_status::disconnected)
    fail_all(ec::unreachable, "the connection to " + below_->server() + " was lost");
  std::shared_ptr<guarded<status_handler>> tell;
  {
    const std::lock_guard lock{mutex_};
    tell = status_;
  }
  tell->run([now](const status_handler& call) {
    if (call) call(now);
  });
}

void core::on_denied(std::string_view subject) {
  std::vector<std::string> requests;
  std::vector<std::shared_ptr<stream_reader>> readers;
  {
    const std::lock_guard lock{mutex_};
    for (const auto& [inbox, asked] : pending_)
      if (asked.subject == subject) requests.push_back(inbox);
    for (const auto& [inbox, reader] : readers_)
      if (reader->subject() == subject) readers.push_back(reader);
  }
  const error err{ec::denied, "not permitted to send " + place(subject)};
  for (const auto& inbox : requests) finish_request(inbox, fail(err));
  for (const auto& reader : readers) reader->end(fail(err));
}

void core::fail_all(ec code, const std::string& why) {
  std::vector<std::pair<std::string, std::string>> requests;
  std::vector<std::shared_ptr<stream_reader>> readers;
  std::vector<std::shared_ptr<credit_writer>> writers;
  {
    const std::lock_guard lock{mutex_};
    for (const auto& [inbox, asked] : pending_) requests.emplace_back(inbox, asked.subject);
    for (const auto& [inbox, reader] : readers_) readers.push_back(reader);
    for (const auto& [id, weak] : writers_)
      if (auto writer = weak.lock()) writers.push_back(std::move(writer));
  }
  // The requests fail in the order in which they were made, so that failures are reproducible.
  std::ranges::sort(requests, {}, [](const auto& r) { return std::pair{r.first.size(), r.first}; });
  for (const auto& [inbox, subject] : requests)
    finish_request(inbox, fail(code, why + " while asking '" + subject + "'"));
  for (const auto& reader : readers)
    reader->end(fail(code, why + " while reading the stream '" + reader->subject() + "'"));
  for (const auto& writer : writers) writer->abandon({code, why});
}

void core::close() {
  std::vector<std::shared_ptr<frame_guard>> handlers;
  std::shared_ptr<guarded<status_handler>> tell;
  {
    std::unique_lock lock{mutex_};
    if (closed_) return;
    closed_ = true;
    for (const auto& weak : served_)
      if (auto handler = weak.lock()) handlers.push_back(std::move(handler));
    tell = status_;
  }
  for (const auto& handler : handlers) handler->close();
  fail_all(ec::cancelled, "the connection to " + below_->server() + " was closed");
  {
    std::unique_lock lock{mutex_};
    idle_.wait(lock, [this] { return running_replies_ == 0; });
  }
  inboxes_.clear();
  below_->close();
  tell->run_last([](const status_handler& call) {
    if (call) call(link_status::closed);
  });
}

/// Its headers may have said how it is meant, so that it must not be carried out without them.
void core::refuse_malformed(const frame& arrived) {
  const auto why = "the headers of the request to " + place(arrived.subject) +
                   " cannot be read: after the line NATS/1.0 each line is 'name: value', and an "
                   "empty line is the last, all with CR and LF";
  if (arrived.reply.empty()) {
    below_->report(why);
    return;
  }
  frame out{arrived.reply, {}, {}, {}};
  set_error(out.headers, {ec::invalid_argument, why});
  // If it cannot be sent, nothing is done: whoever asked gives up by himself.
  static_cast<void>(publish(std::move(out)));
}

std::shared_ptr<stream_reader> core::find_reader(const std::string& inbox) {
  const std::lock_guard lock{mutex_};
  const auto found = readers_.find(inbox);
  return found == readers_.end() ? nullptr : found->second;
}

void core::on_inbox(delivery arrived) {
  const auto inbox = arrived.content.subject;
  const auto unreadable = [&](const std::string& subject) {
    return fail(ec::corrupt, "the headers of an answer from " + place(subject) + " cannot be read");
  };
  if (const auto reader = find_reader(inbox)) {
    if (arrived.malformed)
      reader->end(unreadable(reader->subject()));
    else if (arrived.no_responders)
      reader->end(fail(ec::no_responders, "nobody serves " + place(reader->subject())));
    else
      reader->on_frame(std::move(arrived.content));
    return;
  }
  if (const auto writer = arrived.no_responders ? find_writer(inbox) : nullptr) {
    writer->lose_reader();
    return;
  }
  if (arrived.no_responders || arrived.malformed) {
    std::string subject;
    {
      const std::lock_guard lock{mutex_};
      const auto found = pending_.find(inbox);
      if (found == pending_.end()) return;
      subject = found->second.subject;
    }
    finish_request(inbox, arrived.malformed
                              ? unreadable(subject)
                              : fail(ec::no_responders, "nobody serves " + place(subject)));
  } else if (auto err = get_error(arrived.content.headers)) {
    finish_request(inbox, fail(std::move(*err)));
  } else {
    finish_request(inbox, std::move(arrived.content));
  }
}

void core::give_up(const std::string& inbox, error why) {
  frame out;
  {
    const std::lock_guard lock{mutex_};
    const auto found = pending_.find(inbox);
    if (found == pending_.end()) return;
    out.subject = found->second.subject;
  }
  out.headers.set(header::stream, stream_kind::cancel);
  out.headers.set(header::request, inbox);
  // If it cannot be sent, the server finds by the time that it was told.
  static_cast<void>(publish(std::move(out)));
  finish_request(inbox, fail(std::move(why)));
}

namespace {

/// With the subject in it nobody can give up what another asks, as with streams.
std::string request_key(const frame& arrived, std::string_view number) {
  return arrived.subject + ' ' + std::string{number};
}

}  // namespace

void core::follow(frame& request) {
  const auto number = request.headers.get(header::request);
  if (!number || request.reply.empty()) return;
  const auto key = request_key(request, *number);
  std::shared_ptr<std::atomic<bool>> flag{
      new std::atomic<bool>{false}, [weak = weak_from_this(), key](std::atomic<bool>* held) {
        delete held;
        const auto self = weak.lock();
        if (!self) return;
        const std::lock_guard lock{self->mutex_};
        const auto found = self->followed_.find(key);
        if (found != self->followed_.end() && found->second.expired()) self->followed_.erase(found);
      }};
  request.given_up = flag;
  const std::lock_guard lock{mutex_};
  followed_.insert_or_assign(key, flag);
}

void core::mark_given_up(const frame& arrived, std::string_view number) {
  std::shared_ptr<std::atomic<bool>> flag;
  const std::lock_guard lock{mutex_};
  const auto found = followed_.find(request_key(arrived, number));
  if (found != followed_.end()) flag = found->second.lock();
  if (flag) *flag = true;
}

}  // namespace argosy::bus
