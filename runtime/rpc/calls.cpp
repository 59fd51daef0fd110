// SPDX-License-Identifier: Apache-2.0
#include "runtime/rpc/calls.hpp"

#include <algorithm>
#include <chrono>
#include <utility>

#include "runtime/rpc/bytes.hpp"
#include "runtime/rpc/metadata.hpp"
#include "runtime/rpc/request_bytes.hpp"
#include "runtime/rpc/status.hpp"

namespace argosy::rpc {

::grpc::Status status_of(const admission& who) {
  switch (who.what) {
    case admission::kind::busy:
      return {::grpc::StatusCode::RESOURCE_EXHAUSTED, who.text};
    case admission::kind::broken:
      return {::grpc::StatusCode::UNAVAILABLE, who.text};
    case admission::kind::admitted:
    case admission::kind::unknown:
      break;
  }
  return {::grpc::StatusCode::UNAUTHENTICATED, who.text};
}

namespace {

using std::chrono::milliseconds;
using reactor = ::grpc::ServerGenericBidiReactor;

/// Answers below this size gain nothing from compression.
constexpr std::size_t compress_from = 1'024;

::grpc::Status status_of(const method& what, const error& why) {
  if (why.code != ec::not_found || what.absence.empty()) return to_status(why);
  return to_status({ec::denied, what.absence + ": " + why.detail});
}

class refusal final : public reactor {
 public:
  explicit refusal(const ::grpc::Status& why) { Finish(why); }
  void OnDone() override { delete this; }
};

/// Waits for the answer of the bus also when the caller has gone, which the time-out bounds.
class unary_call final : public reactor {
 public:
  unary_call(const call_room& room, ::grpc::CallbackServerContext& context, const method& what,
             milliseconds timeout)
      : room_(room),
        context_(context),
        method_(what),
        timeout_(timeout),
        wait_(room.callers, context) {}

  void known(const admission& who) {
    if (who.what != admission::kind::admitted) {
      Finish(status_of(who));
      return;
    }
    with_ = who.who;
    wait_.begin();
    StartRead(&request_);
  }

  void OnReadDone(bool ok) override {
    wait_.end();
    if (!ok) {
      Finish(no_request());
      return;
    }
    std::string bytes;
    if (const auto read = read_request(request_, request_bytes_max(room_.config, method_), bytes);
        !read.ok()) {
      Finish(read);
      return;
    }
    room_.config.api->request(method_.subject, bytes, with_, timeout_,
                              [this](result<bus::frame> answer) { answered(std::move(answer)); });
  }
  void OnDone() override { delete this; }

 private:
  void answered(result<bus::frame> answer) {
    if (!answer) {
      Finish(status_of(method_, answer.error()));
      return;
    }
    answer_ = to_buffer(answer->data);
    write_metadata(answer->headers, context_);
    wait_.begin();
    StartWriteAndFinish(&answer_, options_for(answer_), ::grpc::Status::OK);
  }

  const call_room& room_;
  ::grpc::CallbackServerContext& context_;
  const method& method_;
  bus::headers with_;
  const milliseconds timeout_;
  caller_wait wait_;
  ::grpc::ByteBuffer request_;
  ::grpc::ByteBuffer answer_;
};

/// The time until the caller gives up, within what the server allows.
milliseconds time_for(const call_room& room, const ::grpc::CallbackServerContext& context) {
  const auto left = std::chrono::duration_cast<milliseconds>(context.deadline() -
                                                             std::chrono::system_clock::now());
  return std::clamp(left, milliseconds{1}, room.config.answer_within);
}

}  // namespace

::grpc::Status no_request() {
  return {::grpc::StatusCode::INVALID_ARGUMENT, "the call ended before its request"};
}

std::size_t request_bytes_max(const server_config& config, const method& what) {
  return what.request_bytes_max == 0 ? config.request_bytes_max : what.request_bytes_max;
}

::grpc::WriteOptions options_for(const ::grpc::ByteBuffer& answer) {
  ::grpc::WriteOptions out;
  if (answer.Length() < compress_from) out.set_no_compression();
  return out;
}

waiting_call make_unary(const call_room& room, ::grpc::CallbackServerContext& context,
                        const method& what) {
  auto* made = new unary_call{room, context, what, time_for(room, context)};
  return {made, [made](const admission& who) { made->known(who); }};
}

reactor* refuse(const ::grpc::Status& why) {
  return new refusal{why};
}

}  // namespace argosy::rpc
