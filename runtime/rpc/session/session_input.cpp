// SPDX-License-Identifier: Apache-2.0
// What a session does with what comes: headers, and the bytes of messages.
#include <nghttp2/nghttp2.h>

#include <algorithm>

#include "runtime/bus/api_headers.hpp"
#include "runtime/rpc/session/grpc_text.hpp"
#include "runtime/rpc/session/packing.hpp"
#include "runtime/rpc/session/session_call.hpp"
#include "runtime/rpc/session/session_core.hpp"

namespace argosy::rpc {

namespace {

/// Appends without doubling the room, since many callers may send a little more than half of it.
void append(std::string& to, std::string_view bytes) {
  const auto size = to.size() + bytes.size();
  if (size > to.capacity()) {
    std::string larger;
    larger.reserve(size + size / 4);
    larger.append(to);
    to.swap(larger);
  }
  to.append(bytes);
}

}  // namespace

void session_core::read(call_id id, std::size_t bytes_max, bool last) {
  auto* const found = find(id);
  if (found == nullptr || found->finished) return;
  found->wants = true;
  found->last_read = last;
  found->message_max = bytes_max;
  found->since = found->moved = now_;
  take_message(*found);
}

void session_core::begin_call(call_id id) {
  calls_.emplace(id, std::make_unique<call>(id, now_));
}

int session_core::add_header(call& to, std::string_view name, std::string_view value) {
  constexpr std::size_t each = 32;  // HTTP/2 counts so much for a header beside its bytes.
  to.list_bytes += name.size() + value.size() + each;
  if (to.list_bytes > 4 * header_bytes_max) return calm("its headers are too large");
  if (to.list_bytes > header_bytes_max) {
    to.large_head = true;
    return 0;
  }
  auto* const kept = [&]() -> std::string* {
    if (name == ":method") return &to.method;
    if (name == ":path") return &to.head.path;
    if (name == "content-type") return &to.content_type;
    if (name == ":authority" || name == "host") return &to.head.authority;
    if (name == "authorization") return &to.head.authorization;
    if (name == "grpc-encoding") return &to.encoding;
    return nullptr;
  }();
  const auto size_before = to.kept_bytes;
  if (kept != nullptr) {
    if (kept->empty()) *kept = value;
    to.kept_bytes += value.size();
  } else if (name == "grpc-timeout") {
    to.head.timeout = read_timeout(value);
  } else if (name == "grpc-accept-encoding") {
    if (value.find("gzip") != std::string_view::npos) to.head.takes_packed = true;
  } else if (name == bus::header::traceparent ||
             std::ranges::find(bus::callers_choice, name) != bus::callers_choice.end()) {
    if (!to.head.chosen.get(name)) to.head.chosen.set(name, value);
    to.kept_bytes += name.size() + value.size();
  }
  if (!known()) heads_ += to.kept_bytes - size_before;
  return 0;
}

void session_core::head_is_complete(call& of) {
  const auto refuse = [&](status_code code, std::string why) {
    finish(of.id, {code, std::move(why)});
  };
  if (of.head.timeout) of.deadline = of.opened + *of.head.timeout;
  if (of.method != "POST") {
    refuse_http(of, "405");
  } else if (!of.content_type.starts_with("application/grpc")) {
    refuse_http(of, "415");
  } else if (of.large_head) {
    refuse(status_code::resource_exhausted,
           "the headers are larger than " + std::to_string(header_bytes_max) + " bytes");
  } else if (!known() && heads_ > header_bytes_max) {
    refuse(status_code::resource_exhausted,
           "too many calls wait on this connection until it is known who calls");
  } else if (!of.encoding.empty() && of.encoding != "identity" && of.encoding != "gzip") {
    refuse(status_code::unimplemented,
           "requests can be packed with gzip, and not with '" + of.encoding.substr(0, 32) + "'");
  } else {
    opened_.push_back(of.id);
  }
  if (hold(of)) return;
  // The client may ask again.
  reset(of, NGHTTP2_REFUSED_STREAM);
  if (!refusals_.take(now_)) calm("it opens calls while too many of its user wait");
}

void session_core::add_data(call& to, std::string_view bytes) {
  to.unread += bytes.size();
  // Nothing more is wanted of a call whose request is there. Its own window stays used up, so that
  // it can send no further bytes without end.
  if (to.finished || (to.last_read && !to.wants)) {
    nghttp2_session_consume_connection(session_, bytes.size());
    to.unread -= bytes.size();
    return;
  }
  append(to.in, bytes);
  to.moved = now_;
  if (!hold(to)) {
    end(to, too_much_waits());
    return;
  }
  take_message(to);
}

void session_core::half_close(call& of) {
  of.half_closed = true;
  take_message(of);
}

void session_core::take_message(call& of) {
  if (!of.wants) return;
  give_back(of);
  const auto there = of.in.size();
  const auto head = there < message_head::size ? message_head{} : read_message_head(of.in);
  if (head.flag > 1 || (head.flag == 1 && of.encoding != "gzip")) {
    end(of, {status_code::internal, "a message is marked as packed, and no header says how"});
  } else if (head.bytes > of.message_max) {
    end(of, too_large(of.message_max));
  } else if (there >= message_head::size && there - message_head::size >= head.bytes) {
    of.wants = false;
    of.since = {};
    const auto size = message_head::size + head.bytes;
    request out{of.in.substr(message_head::size, head.bytes), head.flag == 1};
    of.in.erase(0, size);
    if (known()) {
      const auto passed_on = std::min(size, of.held);
      out.held = byte_pool::keep(pool_, passed_on);
      out.pool = pool_;
      of.held -= passed_on;
      held_ -= passed_on;
    }
    if (of.in.empty()) of.in = {};
    static_cast<void>(hold(of));
    events_.message(of.id, std::move(out));
  } else if (of.half_closed && there > 0) {
    end(of, {status_code::invalid_argument, "the call ended within a message"});
  } else if (of.half_closed) {
    of.wants = false;
    of.since = {};
    events_.no_message(of.id);
  }
}

void session_core::give_back(call& of) {
  if (of.unread == 0) return;
  nghttp2_session_consume(session_, of.id, std::exchange(of.unread, 0));
}

}  // namespace argosy::rpc
