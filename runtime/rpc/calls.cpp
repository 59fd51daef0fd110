// SPDX-License-Identifier: Apache-2.0
#include "runtime/rpc/calls.hpp"

#include <algorithm>
#include <chrono>
#include <optional>
#include <utility>

#include "runtime/bus/api_headers.hpp"
#include "runtime/bus/caller_headers.hpp"
#include "runtime/rpc/health_text.hpp"
#include "runtime/rpc/session/grpc_text.hpp"
#include "runtime/rpc/session/packing.hpp"

namespace argosy::rpc {

using std::chrono::milliseconds;

namespace {

/// Resets of young calls by one connection. Who lets go of all calls that he may have is no flood.
constexpr token_bucket::rule young_resets{5'000, 500};
/// How much of a stranger may be under way at once, also of calls that he has let go.
constexpr std::size_t stranger_under_way_max = 16;
/// Answers from this size on are packed by the workers.
constexpr std::size_t large_answer = std::size_t{64} << 10;

/// Old and new clients ask under two names, with the same messages.
bool is_reflection(std::string_view path) {
  return path == "/grpc.reflection.v1.ServerReflection/ServerReflectionInfo" ||
         path == "/grpc.reflection.v1alpha.ServerReflection/ServerReflectionInfo";
}

status status_of(const admission& who) {
  switch (who.what) {
    case admission::kind::busy:
      return {status_code::resource_exhausted, who.text};
    case admission::kind::broken:
      return {status_code::unavailable, who.text};
    case admission::kind::admitted:
    case admission::kind::unknown:
      break;
  }
  return {status_code::unauthenticated, who.text};
}

status status_of(const method& what, const error& why) {
  if (why.code != ec::not_found || what.absence.empty()) return to_status(why);
  return to_status({ec::denied, what.absence + ": " + why.detail});
}

status no_method(std::string_view path) {
  constexpr std::size_t shown = 256;
  return {status_code::unimplemented,
          "there is no method '" + std::string{path.substr(0, shown)} + "'"};
}

std::vector<std::pair<std::string, std::string>> told_beside(const bus::headers& from) {
  std::vector<std::pair<std::string, std::string>> out;
  for (const auto name : bus::told_beside)
    if (const auto value = from.get(name)) out.emplace_back(name, as_metadata(*value));
  return out;
}

/// So many calls of a connection may have all the items under way that one stream may have; further
/// streams have these.
constexpr std::size_t eager_streams_max = 256;
constexpr std::uint32_t patient_credit = 2;

}  // namespace

calls::calls(const call_room& room, call_origin origin, post_function post,
             std::vector<worker_pool::task>& later)
    : room_(room),
      origin_(std::move(origin)),
      post_(std::move(post)),
      later_(later),
      turn_("from " + origin_.block.key()),
      resets_(young_resets) {}

calls::~calls() {
  for (auto& [id, each] : open_) leave(each);
}

void calls::later(std::function<void()> what) {
  clean_up([there = std::weak_ptr{there_}, what = std::move(what)] {
    if (!there.expired()) what();
  });
}

void calls::clean_up(std::function<void()> what) {
  later_.push_back({turn_, std::move(what)});
}

void calls::leave(open_call& left) {
  let_go(std::move(left.stream));
  const auto asked = std::move(left.asked);
  if (!asked) return;
  asked->leave();
  clean_up([asked] { asked->give_up(); });
}

void calls::opened(call_id id, call_head head) {
  if (room_.config.is_named && !room_.config.is_named(head.authority)) {
    session_->finish(id, {status_code::permission_denied,
                          "this server is not called by this name; health.hostNames lists names"});
    return;
  }
  open_call made;
  made.takes_packed = head.takes_packed;
  made.timeout = std::clamp(head.timeout.value_or(room_.config.answer_within), milliseconds{1},
                            room_.config.answer_within);
  if (const auto health = health_path(head.path)) {
    made.what = *health == health_call::check ? kind::health : kind::health_watch;
    open_.emplace(id, std::move(made));
    session_->read(id, health_request_max, true);
    return;
  }
  if (room_.config.reflect && is_reflection(head.path)) {
    made.what = kind::reflection;
  } else if (const auto found = room_.config.methods.find(head.path);
             found != room_.config.methods.end()) {
    made.api = &found->second;
    made.what = found->second.streams ? kind::stream : kind::unary;
  } else {
    session_->finish(id, no_method(head.path));
    return;
  }
  if (under_way_ >= (known_ ? room_.config.streams_max : stranger_under_way_max)) {
    session_->finish(id, {status_code::resource_exhausted,
                          "too many calls of this connection are under way; try again"});
    return;
  }
  open_.emplace(id, std::move(made));
  admit(id, std::move(head.authorization), std::move(head.chosen));
}

void calls::admit(call_id id, std::string authorization, bus::headers chosen) {
  ++under_way_;
  caller who{origin_.peer, std::move(authorization), room_.port};
  auto then = [post = post_, id, chosen = std::move(chosen),
               peer = origin_.peer](admission outcome) {
    bus::set_way(outcome.who, "grpc", peer);
    for (const auto& [name, value] : chosen) outcome.who.set(name, value);
    post([id, outcome = std::move(outcome)](calls& self) { self.known(id, outcome); });
  };
  later([&config = room_.config, who = std::move(who), then = std::move(then)] {
    config.admit(who, then);
  });
}

void calls::known(call_id id, admission who) {
  --under_way_;
  if (who.what == admission::kind::admitted && !known_) {
    known_ = true;
    turn_ = bus::caller_key(who.who, origin_.peer);
    auto held = room_.guests.let_in(origin_.id, turn_);
    too_many_ = held == nullptr || !session_->let_in(std::move(held));
  }
  const auto found = open_.find(id);
  if (found == open_.end()) return;
  if (who.what != admission::kind::admitted) {
    finish(id, status_of(who));
  } else if (too_many_) {
    finish(id, {status_code::resource_exhausted, "this user has too many connections"});
  } else {
    found->second.who = std::move(who.who);
    read(id, found->second);
  }
}

void calls::read(call_id id, const open_call& of) {
  session_->read(id, request_bytes_max(of), of.what != kind::reflection);
}

std::size_t calls::request_bytes_max(const open_call& of) const {
  return of.api == nullptr || of.api->request_bytes_max == 0 ? room_.config.request_bytes_max
                                                             : of.api->request_bytes_max;
}

void calls::message(call_id id, request what) {
  const auto found = open_.find(id);
  if (found == open_.end()) return;
  switch (found->second.what) {
    case kind::unary:
      ask(id, found->second, std::move(what));
      break;
    case kind::stream:
      open_stream(id, found->second, std::move(what));
      break;
    case kind::reflection:
      reflect(id, std::move(what));
      break;
    case kind::health:
    case kind::health_watch:
      tell_health(id, found->second.what, what);
      break;
  }
}

void calls::ask(call_id id, open_call& of, request what) {
  of.asked = std::make_shared<given_request>(room_.config.api);
  ++under_way_;
  const auto packs = of.takes_packed;
  // Nothing: it was not tried to pack the answer. An empty text: that made it no smaller.
  using packed_answer = std::optional<std::string>;
  auto deliver = [post = post_, id](result<bus::frame> answer, packed_answer packed) {
    auto held = std::make_shared<std::pair<result<bus::frame>, packed_answer>>(std::move(answer),
                                                                               std::move(packed));
    post([id, held](calls& self) {
      self.answered(id, std::move(held->first), std::move(held->second));
    });
  };
  auto asked = std::make_shared<request>(std::move(what));
  // What was unpacked counts until it is answered, since it is whole on its way to the GATEWAY.
  auto done = [deliver, packs, turn = turn_, made = of.asked, asked,
               workers = room_.workers](result<bus::frame> answer) {
    if (!answer || !packs || answer->data.size() < large_answer || made->is_gone()) {
      deliver(std::move(answer), {});
      return;
    }
    const auto held = std::make_shared<result<bus::frame>>(std::move(answer));
    workers->submit({{turn, [deliver, held] {
                        auto packed = pack((*held)->data);
                        deliver(std::move(*held), packed ? std::move(*packed) : std::string{});
                      }}});
  };
  later([&config = room_.config, api = of.api, size_max = request_bytes_max(of), who = of.who,
         timeout = of.timeout, asked, made = of.asked, done, post = post_, id] {
    if (made->is_gone()) {
      post([](calls& self) { --self.under_way_; });
      return;
    }
    std::string bytes;
    if (auto read = read_request(*asked, size_max, bytes); !read.ok())
      post([id, read](calls& self) {
        --self.under_way_;
        self.finish(id, read);
      });
    else
      made->made(config.api->request(api->subject, bytes, who, timeout, done));
    if (!asked->packed) asked->held.reset();
  });
}

void calls::answered(call_id id, result<bus::frame> answer, std::optional<std::string> packed) {
  --under_way_;
  const auto found = open_.find(id);
  if (found == open_.end()) return;
  found->second.asked.reset();
  if (!answer) {
    finish(id, status_of(*found->second.api, answer.error()));
    return;
  }
  session_->set_metadata(id, told_beside(answer->headers));
  if (!packed)
    write(id, answer->data);
  else
    session_->write(id, packed->empty() ? answer->data : *packed, !packed->empty());
  finish(id, {});
}

void calls::no_message(call_id id) {
  const auto found = open_.find(id);
  if (found == open_.end()) return;
  if (found->second.what == kind::reflection)
    finish(id, {});
  else
    finish(id, {status_code::invalid_argument, "the call ended before its request"});
}

void calls::written(call_id id, std::uint32_t messages) {
  const auto found = open_.find(id);
  if (found == open_.end()) return;
  if (found->second.what == kind::reflection) read(id, found->second);
  if (found->second.what != kind::stream) return;
  if (auto stream = found->second.stream)
    // The bus may deliver the next item on the thread that grants it.
    later([stream = std::move(stream), messages] { stream->grant(messages); });
  else
    found->second.owed += messages;
}

void calls::gone(call_id id) {
  const auto found = open_.find(id);
  if (found == open_.end()) return;
  leave(found->second);
  open_.erase(found);
}

bool calls::may_reset(boot_time now) {
  return resets_.take(now) && (known_ || room_.guests.may_reset(origin_.block, now));
}

void calls::end(bool all) {
  std::vector<call_id> ending;
  for (const auto& [id, each] : open_)
    if (all || each.what != kind::unary) ending.push_back(id);
  for (const auto id : ending) finish(id, {status_code::unavailable, "the server ends"});
}

void calls::finish(call_id id, const status& how) {
  session_->finish(id, how);
  gone(id);
}

status read_request(request& from, std::size_t size_max, std::string& out) {
  auto bytes = std::move(from.bytes);
  if (!from.packed) {
    out = std::move(bytes);
    return {};
  }
  const auto size = unpacked_size(bytes);
  if (size > size_max) return too_large(size_max);
  if (from.pool && !from.pool->take(size)) return too_much_waits();
  if (from.pool) from.held = byte_pool::keep(from.pool, size);
  return unpack(bytes, size_max, out);
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
