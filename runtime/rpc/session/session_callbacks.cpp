// SPDX-License-Identifier: Apache-2.0
#include "runtime/rpc/session/session_callbacks.hpp"

#include <algorithm>
#include <memory>

#include "runtime/base/check.hpp"
#include "runtime/rpc/session/grpc_text.hpp"
#include "runtime/rpc/session/session_call.hpp"

namespace argosy::rpc {

namespace {

session_core& of(void* self) {
  return *static_cast<session_core*>(self);
}

std::string_view text(const std::uint8_t* bytes, std::size_t size) {
  return {reinterpret_cast<const char*>(bytes), size};
}

// The library copies names and values.
nghttp2_nv field(std::string_view name, std::string_view value) {
  const auto bytes = [](std::string_view from) {
    return reinterpret_cast<std::uint8_t*>(const_cast<char*>(from.data()));
  };
  return {bytes(name), bytes(value), name.size(), value.size(), NGHTTP2_NV_FLAG_NONE};
}

/// The fields that tell a status; the texts must live until they are sent.
struct status_fields {
  explicit status_fields(const status& from)
      : code(std::to_string(static_cast<int>(from.code))), message(escape_message(from.message)) {}

  void append_to(std::vector<nghttp2_nv>& out) const {
    out.push_back(field("grpc-status", code));
    if (!message.empty()) out.push_back(field("grpc-message", message));
  }

  std::string code;
  std::string message;
};

}  // namespace

nghttp2_session* session_core::callbacks::make(session_core& of) {
  nghttp2_session_callbacks* made = nullptr;
  ARGOSY_CHECK(nghttp2_session_callbacks_new(&made) == 0);
  const std::unique_ptr<nghttp2_session_callbacks, void (*)(nghttp2_session_callbacks*)> held{
      made, nghttp2_session_callbacks_del};
  nghttp2_session_callbacks_set_on_begin_frame_callback(made, begin_frame);
  nghttp2_session_callbacks_set_on_begin_headers_callback(made, begin_headers);
  nghttp2_session_callbacks_set_on_header_callback(made, header);
  nghttp2_session_callbacks_set_on_frame_recv_callback(made, frame);
  nghttp2_session_callbacks_set_on_data_chunk_recv_callback(made, data);
  nghttp2_session_callbacks_set_on_frame_send_callback(made, sent);
  nghttp2_session_callbacks_set_on_stream_close_callback(made, closed);
  nghttp2_option* option = nullptr;
  ARGOSY_CHECK(nghttp2_option_new(&option) == 0);
  const std::unique_ptr<nghttp2_option, void (*)(nghttp2_option*)> chosen{option,
                                                                          nghttp2_option_del};
  nghttp2_option_set_no_auto_window_update(option, 1);
  nghttp2_option_set_no_closed_streams(option, 1);
  // The session counts resets itself, since those of old calls are no flood; this is behind it.
  nghttp2_option_set_stream_reset_rate_limit(option, 20'000, 2'000);
  nghttp2_option_set_max_continuations(option, 8);
  nghttp2_session* session = nullptr;
  ARGOSY_CHECK(nghttp2_session_server_new2(&session, made, &of, option) == 0);
  return session;
}

int session_core::callbacks::begin_frame(nghttp2_session*, const nghttp2_frame_hd* head,
                                         void* self) {
  return of(self).count_frame(head->type, head->flags, head->length);
}

int session_core::callbacks::begin_headers(nghttp2_session*, const nghttp2_frame* frame,
                                           void* self) {
  if (frame->headers.cat == NGHTTP2_HCAT_REQUEST) of(self).begin_call(frame->hd.stream_id);
  return 0;
}

int session_core::callbacks::header(nghttp2_session*, const nghttp2_frame* frame,
                                    const std::uint8_t* name, std::size_t name_size,
                                    const std::uint8_t* value, std::size_t value_size, std::uint8_t,
                                    void* self) {
  auto* const found = of(self).find(frame->hd.stream_id);
  // Fields after the request tell nothing that matters here; they count all the same.
  return found == nullptr
             ? 0
             : of(self).add_header(*found, text(name, name_size), text(value, value_size));
}

int session_core::callbacks::frame(nghttp2_session*, const nghttp2_frame* frame, void* self) {
  const bool headers = frame->hd.type == NGHTTP2_HEADERS;
  if (!headers && frame->hd.type != NGHTTP2_DATA) return 0;
  auto* const found = of(self).find(frame->hd.stream_id);
  if (found == nullptr) return 0;
  if (headers && frame->headers.cat == NGHTTP2_HCAT_REQUEST) of(self).head_is_complete(*found);
  if ((frame->hd.flags & NGHTTP2_FLAG_END_STREAM) != 0) of(self).half_close(*found);
  return 0;
}

int session_core::callbacks::data(nghttp2_session* session, std::uint8_t, std::int32_t id,
                                  const std::uint8_t* bytes, std::size_t size, void* self) {
  if (auto* const found = of(self).find(id); found != nullptr)
    of(self).add_data(*found, text(bytes, size));
  else
    nghttp2_session_consume_connection(session, size);
  return 0;
}

int session_core::callbacks::sent(nghttp2_session* session, const nghttp2_frame* frame,
                                  void* self) {
  if (frame->hd.type == NGHTTP2_DATA) {
    of(self).pings_.fill();
    of(self).idle_frames_.fill();
  }
  if (frame->hd.type != NGHTTP2_HEADERS || (frame->hd.flags & NGHTTP2_FLAG_END_STREAM) == 0)
    return 0;
  // The call is over, also for who would send more.
  const auto* const found = of(self).find(frame->hd.stream_id);
  if (found != nullptr && !found->half_closed)
    nghttp2_submit_rst_stream(session, NGHTTP2_FLAG_NONE, frame->hd.stream_id, NGHTTP2_NO_ERROR);
  return 0;
}

int session_core::callbacks::closed(nghttp2_session*, std::int32_t id, std::uint32_t, void* self) {
  if (auto* const found = of(self).find(id); found != nullptr) of(self).close(*found);
  return 0;
}

ssize_t session_core::callbacks::fill(nghttp2_session* session, std::int32_t id, std::uint8_t* to,
                                      std::size_t size, std::uint32_t* flags, nghttp2_data_source*,
                                      void* self) {
  auto* const found = of(self).find(id);
  if (found == nullptr) return NGHTTP2_ERR_TEMPORAL_CALLBACK_FAILURE;
  auto& from = *found;
  std::size_t done = 0;
  while (done < size && !from.out.empty()) {
    const auto& first = from.out.front();
    const auto piece = std::min(size - done, first.size() - from.out_at);
    std::copy_n(first.data() + from.out_at, piece, to + done);
    done += piece;
    from.out_at += piece;
    if (from.out_at == first.size()) of(self).wrote_first(from);
  }
  if (done > 0) from.moved = of(self).now_;
  if (from.out.empty() && from.last) {
    *flags |= NGHTTP2_DATA_FLAG_EOF | NGHTTP2_DATA_FLAG_NO_END_STREAM;
    const status_fields last{*from.last};
    std::vector<nghttp2_nv> fields;
    last.append_to(fields);
    nghttp2_submit_trailer(session, id, fields.data(), fields.size());
  } else if (done == 0) {
    return NGHTTP2_ERR_DEFERRED;
  }
  return static_cast<ssize_t>(done);
}

void session_core::wrote_first(call& of) {
  of.out_bytes -= of.out.front().size();
  of.out.erase(of.out.begin());
  of.out_at = 0;
  static_cast<void>(hold(of));
  // Each message has the whole time.
  of.since = of.out.empty() && !of.last ? boot_time{} : now_;
  if (of.finished) return;
  if (of.written++ == 0) written_.push_back(of.id);
}

void session_core::respond(call& to, bool with_body) {
  to.head_sent = true;
  std::vector<nghttp2_nv> fields{field(":status", "200"), field("content-type", "application/grpc"),
                                 field("grpc-accept-encoding", "identity,gzip")};
  if (with_body && to.head.takes_packed) fields.push_back(field("grpc-encoding", "gzip"));
  for (const auto& [name, value] : to.metadata) fields.push_back(field(name, value));
  const status_fields last{to.last.value_or(status{})};
  if (!with_body) last.append_to(fields);
  nghttp2_data_provider body{};
  for (const auto& each : fields) to.fields += each.namelen + each.valuelen;
  static_cast<void>(hold(to));
  body.read_callback = callbacks::fill;
  nghttp2_submit_response(session_, to.id, fields.data(), fields.size(),
                          with_body ? &body : nullptr);
}

void session_core::refuse_http(call& what, const char* status) {
  what.finished = true;
  what.head_sent = true;
  what.since = now_;
  const auto field_of_status = field(":status", status);
  nghttp2_submit_response(session_, what.id, &field_of_status, 1, nullptr);
}

}  // namespace argosy::rpc
