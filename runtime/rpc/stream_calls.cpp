// SPDX-License-Identifier: Apache-2.0
// This file defines how calls are answered that have many answers or are not of the API.
#include <algorithm>
#include <utility>

#include "runtime/rpc/calls.hpp"
#include "runtime/rpc/health_text.hpp"
#include "runtime/rpc/session/packing.hpp"

namespace argosy::rpc {

namespace {

/// So many calls of a connection may have all the items under way that one stream may have; further
/// streams have these.
constexpr std::size_t eager_streams_max = 256;
constexpr std::uint32_t patient_credit = 2;

}  // namespace

status read_request(request& from, std::size_t size_max, std::string& out) {
  if (from.packed) return unpack(from.bytes, size_max, out);
  out = std::move(from.bytes);
  return {};
}

void calls::open_stream(call_id id, const open_call& of, request what) {
  session_->count_apart(id);
  auto asked = std::make_shared<request>(std::move(what));
  const auto credit = open_.size() <= eager_streams_max
                          ? room_.config.stream_credit
                          : std::min(room_.config.stream_credit, patient_credit);
  later([&config = room_.config, api = of.api, size_max = request_bytes_max(of), who = of.who,
         asked, credit, post = post_, id] {
    std::string bytes;
    if (auto read = read_request(*asked, size_max, bytes); !read.ok()) {
      post([id, read](calls& self) { self.finish(id, read); });
      return;
    }
    bus::stream_events events;
    events.on_item = [post, id](bus::frame item) {
      post([id, held = std::move(item.data)](calls& self) { self.item(id, held); });
    };
    events.on_end = [post, id](result<void> end) {
      const auto how = end ? status{} : to_status(end.error());
      post([id, how](calls& self) { self.finish(id, how); });
    };
    bus::stream_options options;
    options.credit = credit;
    options.manual_grants = true;
    const auto opened = std::make_shared<bus::stream>(
        config.api->open_stream(api->subject, bytes, who, options, std::move(events)));
    post([id, opened](calls& self) { self.keep(id, opened); });
  });
}

void calls::write(call_id id, std::string_view bytes) {
  const auto found = open_.find(id);
  const auto packed = found->second.takes_packed ? pack(bytes) : std::nullopt;
  const bool kept = packed ? session_->write(id, *packed, true) : session_->write(id, bytes, false);
  if (!kept) gone(id);
}

void calls::item(call_id id, std::string_view bytes) {
  if (open_.contains(id)) write(id, bytes);
}

/// The stream may be over already.
void calls::keep(call_id id, const std::shared_ptr<bus::stream>& opened) {
  const auto found = open_.find(id);
  if (found == open_.end()) {
    let_go(opened);
    return;
  }
  found->second.stream = opened;
  if (const auto owed = std::exchange(found->second.owed, 0); owed > 0) written(id, owed);
}

/// The end of a stream waits for its callbacks, which is for the workers.
void calls::let_go(std::shared_ptr<bus::stream> stream) {
  if (stream) clean_up([stream = std::move(stream)] { stream->cancel(); });
}

void calls::reflect(call_id id, request what) {
  auto asked = std::make_shared<request>(std::move(what));
  later([&config = room_.config, asked, post = post_, id] {
    std::string bytes;
    if (auto read = read_request(*asked, config.request_bytes_max, bytes); !read.ok())
      post([id, read](calls& self) { self.finish(id, read); });
    else
      post([id, answer = config.reflect(bytes)](calls& self) { self.item(id, answer); });
  });
}

void calls::tell_health(call_id id, kind what, const request& asked) {
  std::string bytes;
  auto held = asked;
  auto read = read_request(held, health_request_max, bytes);
  const auto service = health_service(bytes);
  const bool serves = service && has_service(room_.config.methods, *service);
  if (read.ok() && !serves && what == kind::health)
    read = {status_code::not_found, "there is no such service"};
  if (!read.ok()) {
    finish(id, read);
    return;
  }
  write(id, health_answer(serves));
  // A watch stays, since nothing changes until the server ends.
  if (what == kind::health) finish(id, {});
}

}  // namespace argosy::rpc
