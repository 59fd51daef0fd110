// SPDX-License-Identifier: Apache-2.0
#include "runtime/rpc/bytes.hpp"
#include "runtime/rpc/calls.hpp"
#include "runtime/rpc/request_bytes.hpp"

namespace argosy::rpc {

namespace {

/// Answers one question after the other, until the client has no more. A client that does not read
/// is asked for no further question.
class reflection_call final : public ::grpc::ServerGenericBidiReactor {
 public:
  reflection_call(const call_room& room, ::grpc::CallbackServerContext& context)
      : room_(room), wait_(room.callers, context) {}

  void known(const admission& who) {
    if (who.what == admission::kind::admitted)
      StartRead(&question_);
    else
      Finish(status_of(who));
  }

  void OnReadDone(bool ok) override {
    if (!ok) {
      Finish(::grpc::Status::OK);
      return;
    }
    std::string bytes;
    if (const auto read = read_request(question_, room_.config.request_bytes_max, bytes);
        !read.ok()) {
      Finish(read);
      return;
    }
    answer_ = to_buffer(room_.config.reflect(bytes));
    wait_.begin();
    StartWrite(&answer_);
  }
  /// A client may take his time between two questions.
  void OnWriteDone(bool ok) override {
    wait_.end();
    if (ok)
      StartRead(&question_);
    else
      Finish(::grpc::Status::CANCELLED);
  }
  void OnDone() override { delete this; }

 private:
  const call_room& room_;
  caller_wait wait_;
  ::grpc::ByteBuffer question_;
  ::grpc::ByteBuffer answer_;
};

}  // namespace

waiting_call make_reflection(const call_room& room, ::grpc::CallbackServerContext& context) {
  auto* made = new reflection_call{room, context};
  return {made, [made](const admission& who) { made->known(who); }};
}

}  // namespace argosy::rpc
