// SPDX-License-Identifier: Apache-2.0
#include "runtime/rpc/session/session_core.hpp"

#include <nghttp2/nghttp2.h>

#include <algorithm>
#include <array>
#include <cstring>
#include <utility>

#include "runtime/base/check.hpp"
#include "runtime/bus/api_headers.hpp"
#include "runtime/rpc/session/grpc_text.hpp"
#include "runtime/rpc/session/packing.hpp"
#include "runtime/rpc/session/session_call.hpp"
#include "runtime/rpc/session/session_callbacks.hpp"

namespace argosy::rpc {

using std::chrono_literals::operator""s;

namespace {

/// Who is not known yet gets no more calls at once; a client keeps further ones back.
constexpr std::uint32_t stranger_streams_max = 16;
/// Nor is more read of him while so much waits, which is less than the window of HTTP/2.
constexpr std::size_t stranger_bytes_max = std::size_t{16} << 10;
/// What a caller may send before he is given room for more. A connection has 64 KiB, the least that
/// HTTP/2 knows, until its caller is known.
constexpr std::uint32_t stream_window = 1U << 20U;
constexpr std::int32_t known_window = 4 << 20;
/// When so many frames wait to be sent, the caller is not read until he has taken some.
constexpr std::size_t outbound_frames_max = 200;

// Clients of the existing API send pings every 10 s, also without a call, and some ping for each
// piece of an answer that they take.
constexpr token_bucket::rule pings{1'000, 100};
constexpr token_bucket::rule settings{50, 1};
/// Frames that bring nothing, such as a change of a window.
constexpr token_bucket::rule idle_frames{10'000, 1'000};
/// Frames of data that bring less than this are such.
constexpr std::size_t small_data = 64;
/// Calls that are refused since their caller has too much open, which are counted nowhere else.
constexpr token_bucket::rule refusals{20, 5};

/// A call that lived so long was no part of a flood when it is reset.
constexpr boot_time young = 1s;

constexpr boot_time greet_within = 10s;
constexpr boot_time ping_after = 120s;
constexpr boot_time pong_within = 20s;
constexpr boot_time leave_after = 300s;

}  // namespace

session_core::session_core(const session_limits& limits, session_events& events, boot_time now)
    : limits_(limits),
      events_(events),
      now_(now),
      begun_(now),
      heard_(now),
      used_(now),
      pings_(pings),
      settings_(settings),
      idle_frames_(idle_frames),
      refusals_(refusals) {
  session_ = callbacks::make(*this);
  const std::array begin{
      nghttp2_settings_entry{NGHTTP2_SETTINGS_MAX_CONCURRENT_STREAMS,
                             std::min(limits_.streams_max, stranger_streams_max)},
      nghttp2_settings_entry{NGHTTP2_SETTINGS_INITIAL_WINDOW_SIZE, stream_window},
      nghttp2_settings_entry{NGHTTP2_SETTINGS_MAX_HEADER_LIST_SIZE, header_bytes_max},
      nghttp2_settings_entry{NGHTTP2_SETTINGS_NO_RFC7540_PRIORITIES, 1}};
  ARGOSY_CHECK(nghttp2_submit_settings(session_, NGHTTP2_FLAG_NONE, begin.data(), begin.size()) ==
               0);
}

session_core::~session_core() {
  nghttp2_session_del(session_);
  if (known()) pool_->give(held_ + connection_bytes);
}

bool session_core::receive(std::string_view bytes, boot_time now) {
  if (ended_) return false;
  now_ = heard_ = now;
  pinged_ = {};
  const auto taken = nghttp2_session_mem_recv(
      session_, reinterpret_cast<const std::uint8_t*>(bytes.data()), bytes.size());
  if (taken < 0) ended_ = true;
  // A call that was reset in the same bytes is never told.
  for (const auto id : std::exchange(opened_, {}))
    if (auto* const each = find(id); each != nullptr && !each->finished && !ended_) {
      each->told = true;
      each->since = {};
      events_.opened(id, std::move(each->head));
    }
  return !ended_;
}

void session_core::produce(std::string& out, std::size_t at_most, boot_time now) {
  now_ = now;
  while (out.size() < at_most) {
    const std::uint8_t* data = nullptr;
    const auto size = nghttp2_session_mem_send(session_, &data);
    if (size < 0) ended_ = true;
    if (size <= 0) break;
    out.append(reinterpret_cast<const char*>(data), static_cast<std::size_t>(size));
  }
  if (nghttp2_session_want_read(session_) == 0 && nghttp2_session_want_write(session_) == 0)
    ended_ = true;
  for (const auto id : std::exchange(written_, {}))
    if (auto* const each = find(id); each != nullptr && !each->finished)
      events_.written(id, std::exchange(each->written, 0));
}

bool session_core::wants_rest() const noexcept {
  return nghttp2_session_get_outbound_queue_size(session_) > outbound_frames_max ||
         (!known() && held_ > stranger_bytes_max);
}

bool session_core::tick(boot_time now) {
  now_ = now;
  if (!calls_.empty()) used_ = now;
  for (const auto& [id, each] : calls_) look_at(*each);
  if (!greeted_ && now - begun_ > greet_within) return false;
  if (pinged_ != boot_time{}) {
    if (now - pinged_ > pong_within) return false;
  } else if (now - heard_ > ping_after) {
    nghttp2_submit_ping(session_, NGHTTP2_FLAG_NONE, nullptr);
    pinged_ = now;
  }
  if (now - used_ > leave_after) nghttp2_session_terminate_session(session_, NGHTTP2_NO_ERROR);
  return nghttp2_session_want_read(session_) != 0 || nghttp2_session_want_write(session_) != 0;
}

void session_core::look_at(call& what) {
  if (what.deadline && now_ > *what.deadline && !what.finished) {
    end(what, {status_code::deadline_exceeded, "the deadline of the call has passed"});
    return;
  }
  if (what.since == boot_time{} ||
      (now_ - what.since < limits_.caller_within && now_ - what.moved < patience()))
    return;
  // Who takes no message would not take a status either.
  if (what.out.empty() && !what.finished) {
    end(what, {status_code::cancelled, "the request did not come in time"});
  } else {
    const bool untold = !what.finished && what.told;
    reset(what, NGHTTP2_CANCEL);
    if (untold) events_.gone(what.id);
  }
}

bool session_core::let_in(std::shared_ptr<byte_pool> held) {
  if (known()) return true;
  if (!held->take(connection_bytes + held_)) return false;
  pool_ = std::move(held);
  heads_ = 0;
  for (const auto& [id, each] : calls_) static_cast<void>(hold(*each));
  const nghttp2_settings_entry more{NGHTTP2_SETTINGS_MAX_CONCURRENT_STREAMS, limits_.streams_max};
  if (limits_.streams_max > stranger_streams_max)
    nghttp2_submit_settings(session_, NGHTTP2_FLAG_NONE, &more, 1);
  nghttp2_session_set_local_window_size(session_, NGHTTP2_FLAG_NONE, 0, known_window);
  return true;
}

std::chrono::milliseconds session_core::patience() const noexcept {
  return known() && pool_->strained() ? std::min(limits_.strained_within, limits_.caller_within)
                                      : limits_.caller_within;
}

void session_core::count_apart(call_id id) {
  auto* const found = find(id);
  if (found == nullptr || found->finished) return;
  found->apart = true;
  static_cast<void>(hold(*found));
}

void session_core::shut_down() {
  nghttp2_submit_goaway(session_, NGHTTP2_FLAG_NONE,
                        nghttp2_session_get_last_proc_stream_id(session_), NGHTTP2_NO_ERROR,
                        nullptr, 0);
}

session_core::call* session_core::find(call_id id) const {
  const auto found = calls_.find(id);
  return found == calls_.end() ? nullptr : found->second.get();
}

void session_core::close(call& of) {
  const bool cut_off = !of.finished;
  if (of.unread > 0) nghttp2_session_consume_connection(session_, of.unread);
  of.closed = true;
  drop_output(of);
  if (!known()) heads_ -= std::min(heads_, of.kept_bytes);
  used_ = now_;
  const auto id = of.id;
  const bool told = of.told;
  const auto lived = now_ - of.opened;
  calls_.erase(id);
  if (!cut_off) return;
  if (told) events_.gone(id);
  if (lived < young && !events_.may_reset(now_)) calm("it resets too many calls");
}

void session_core::reset(call& what, std::uint32_t code) {
  what.finished = true;
  what.since = {};
  what.wants = false;
  drop_output(what);
  nghttp2_submit_rst_stream(session_, NGHTTP2_FLAG_NONE, what.id, code);
}

bool session_core::hold(call& what) {
  // The calls of a stranger are few.
  const bool counts = known() && !what.apart;
  const auto base = what.closed ? 0 : what.fields + (counts ? call_bytes : 0);
  const auto wanted = base + (what.in.empty() ? 0 : what.in.capacity()) + what.out_bytes;
  if (wanted > what.held) {
    const auto more = wanted - what.held;
    if (known() && !pool_->take(more)) return false;
    held_ += more;
  } else {
    held_ -= what.held - wanted;
    if (known()) pool_->give(what.held - wanted);
  }
  what.held = wanted;
  return true;
}

int session_core::calm(const char* why) {
  if (!ended_) {
    fault_ = why;
    nghttp2_session_terminate_session(session_, NGHTTP2_ENHANCE_YOUR_CALM);
  }
  ended_ = true;
  return NGHTTP2_ERR_CALLBACK_FAILURE;
}

int session_core::count_frame(std::uint8_t type, std::uint8_t flags, std::size_t length) {
  if (ended_) return NGHTTP2_ERR_CALLBACK_FAILURE;
  switch (type) {
    case NGHTTP2_PING:
      return pings_.take(now_) ? 0 : calm("it sends too many pings");
    case NGHTTP2_SETTINGS:
      greeted_ = true;
      return settings_.take(now_) ? 0 : calm("it changes its settings too often");
    case NGHTTP2_DATA:
      if (length >= small_data || (flags & NGHTTP2_FLAG_END_STREAM) != 0) return 0;
      break;
    case NGHTTP2_HEADERS:
      if (calls_.size() < (known() ? limits_.streams_max : stranger_streams_max)) return 0;
      break;
    default:
      break;
  }
  return idle_frames_.take(now_) ? 0 : calm("it sends too many frames that bring nothing");
}

void session_core::set_metadata(call_id id,
                                std::vector<std::pair<std::string, std::string>> metadata) {
  if (auto* const found = find(id); found != nullptr) found->metadata = std::move(metadata);
}

bool session_core::write(call_id id, std::string_view message, bool packed) {
  auto* const found = find(id);
  if (found == nullptr || found->finished) return false;
  auto& to = *found;
  to.out.push_back(with_head(message, packed));
  to.out_bytes += to.out.back().size();
  if (!hold(to)) {
    // Who takes nothing of an answer that has begun would not take a status either.
    if (to.head_sent) {
      reset(to, NGHTTP2_ENHANCE_YOUR_CALM);
    } else {
      drop_output(to);
      finish(id, {status_code::resource_exhausted,
                  "too many bytes of your answers wait to be taken; take them and try again"});
    }
    return false;
  }
  if (to.out.size() == 1) to.since = to.moved = now_;
  if (to.head_sent)
    nghttp2_session_resume_data(session_, id);
  else
    respond(to, true);
  return true;
}

void session_core::finish(call_id id, const status& how) {
  auto* const found = find(id);
  if (found == nullptr || found->finished) return;
  found->finished = true;
  found->last = how;
  found->wants = false;
  found->in = {};
  static_cast<void>(hold(*found));
  give_back(*found);
  if (found->out.empty()) found->since = found->moved = now_;
  if (found->head_sent)
    nghttp2_session_resume_data(session_, id);
  else
    respond(*found, false);
}

void session_core::end(call& what, const status& how) {
  const bool told = what.told;
  finish(what.id, how);
  if (told) events_.gone(what.id);
}

void session_core::drop_output(call& of) {
  of.out.clear();
  of.in = {};
  of.out_bytes = 0;
  static_cast<void>(hold(of));
}

}  // namespace argosy::rpc
