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
  explicit reflection_call(const call_room& room) : room_(room) {}

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
    StartWrite(&answer_);
  }
  void OnWriteDone(bool ok) override {
    if (ok)
      StartRead(&question_);
    else
      Finish(::grpc::Status::CANCELLED);
  }
  void OnDone() override { delete this; }

 private:
  const call_room& room_;
  ::grpc::ByteBuffer question_;
  ::grpc::ByteBuffer answer_;
};

}  // namespace

waiting_call make_reflection(const call_room& room) {
  auto* made = new reflection_call{room};
  return {made, [made](const admission& who) { made->known(who); }};
}

}  // namespace argosy::rpc
