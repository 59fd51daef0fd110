// SPDX-License-Identifier: Apache-2.0
// This file defines how everything that a connection has open ends: by an answer, when the link is
// lost, when the server refuses a subject, and when the connection is closed; and which requests
// are refused at once.
#include <algorithm>
#include <utility>

#include "runtime/bus/core.hpp"
#include "runtime/bus/credit_writer.hpp"
#include "runtime/bus/stream_reader.hpp"

namespace argosy::bus {

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
  if (arrived.reply.empty()) return;
  frame out{arrived.reply, {}, {}, {}};
  set_error(out.headers, {ec::invalid_argument, "the headers of the request to " +
                                                    place(arrived.subject) + " cannot be read"});
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
