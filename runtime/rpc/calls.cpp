// SPDX-License-Identifier: Apache-2.0
#include "runtime/rpc/calls.hpp"

#include <algorithm>
#include <chrono>
#include <deque>
#include <mutex>
#include <optional>
#include <utility>

#include "runtime/rpc/bytes.hpp"
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

const ::grpc::Status no_request{::grpc::StatusCode::INVALID_ARGUMENT,
                                "the call ended before its request"};

/// Answers below this size gain nothing from compression.
constexpr std::size_t compress_from = 1'024;

::grpc::WriteOptions options_for(const ::grpc::ByteBuffer& answer) {
  ::grpc::WriteOptions out;
  if (answer.Length() < compress_from) out.set_no_compression();
  return out;
}

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
  unary_call(const call_room& room, const method& what, milliseconds timeout)
      : room_(room), method_(what), timeout_(timeout) {}

  void known(const admission& who) {
    if (who.what != admission::kind::admitted) {
      Finish(status_of(who));
      return;
    }
    with_ = who.who;
    StartRead(&request_);
  }

  void OnReadDone(bool ok) override {
    if (!ok) {
      Finish(no_request);
      return;
    }
    std::string bytes;
    if (const auto read = read_request(request_, room_.config.request_bytes_max, bytes);
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
    StartWriteAndFinish(&answer_, options_for(answer_), ::grpc::Status::OK);
  }

  const call_room& room_;
  const method& method_;
  bus::headers with_;
  const milliseconds timeout_;
  ::grpc::ByteBuffer request_;
  ::grpc::ByteBuffer answer_;
};

/// Writes one item after the other, and takes another from the bus for each that was written, so
/// that no more than the credit wait here for a slow caller.
class stream_call final : public reactor {
 public:
  stream_call(const call_room& room, const method& what) : room_(room), method_(what) {}

  /// The call may have been cancelled meanwhile; it must not end before this, see OnCancel().
  void known(const admission& who) {
    {
      const std::scoped_lock lock{guard_};
      known_ = true;
      with_ = who.who;
    }
    if (gone())
      close(::grpc::Status::CANCELLED, when::now);
    else if (who.what != admission::kind::admitted)
      close(status_of(who), when::now);
    else
      StartRead(&request_);
  }

  void OnReadDone(bool ok) override {
    if (!ok) {
      close(no_request, when::written);
      return;
    }
    std::string bytes;
    if (const auto read = read_request(request_, room_.config.request_bytes_max, bytes);
        !read.ok()) {
      close(read, when::written);
      return;
    }
    bus::stream_events events;
    events.on_item = [this](bus::frame item) { arrived(std::move(item)); };
    events.on_end = [this](result<void> end) {
      close(end ? ::grpc::Status::OK : to_status(end.error()), when::written);
    };
    bus::stream_options options;
    options.credit = room_.config.stream_credit;
    options.manual_grants = true;
    auto opened =
        room_.config.api->open_stream(method_.subject, bytes, with_, options, std::move(events));
    keep(std::move(opened));
  }

  /// Whoever cannot be written to has gone, which OnCancel() tells.
  void OnWriteDone(bool ok) override {
    if (!ok) return;
    std::optional<::grpc::Status> last;
    std::shared_ptr<bus::stream> from;
    {
      const std::scoped_lock lock{guard_};
      if (closed_) return;
      waiting_.pop_front();
      from = stream_;
      if (!from) ++owed_;
      if (!waiting_.empty()) {
        write_next();
      } else if (end_) {
        closed_ = true;
        last = std::move(end_);
      }
    }
    // The bus may deliver the next item on this thread.
    if (from) from->grant(1);
    if (last) Finish(*last);
  }

  void OnCancel() override {
    {
      const std::scoped_lock lock{guard_};
      gone_ = true;
      if (!known_) return;
    }
    release();
    close(::grpc::Status::CANCELLED, when::now);
  }
  /// The stream is let go before the object that its callbacks use.
  void OnDone() override {
    release();
    delete this;
  }

 private:
  enum class when : bool { written, now };

  bool gone() {
    const std::scoped_lock lock{guard_};
    return gone_;
  }

  void arrived(bus::frame item) {
    const std::scoped_lock lock{guard_};
    if (closed_ || end_) return;
    waiting_.push_back(to_buffer(item.data));
    if (waiting_.size() == 1) write_next();
  }

  /// The guard is held.
  void write_next() { StartWrite(&waiting_.front(), options_for(waiting_.front())); }

  /// Ends the call, once: when what waits is written, or now.
  void close(const ::grpc::Status& how, when at) {
    {
      const std::scoped_lock lock{guard_};
      if (closed_) return;
      if (at == when::written && !waiting_.empty()) {
        end_ = how;
        return;
      }
      closed_ = true;
    }
    Finish(how);
  }

  /// Items may have been written before the stream was handed out.
  void keep(bus::stream opened) {
    std::shared_ptr<bus::stream> kept;
    std::uint32_t owed = 0;
    {
      const std::scoped_lock lock{guard_};
      if (released_) return;
      stream_ = kept = std::make_shared<bus::stream>(std::move(opened));
      owed = std::exchange(owed_, 0);
    }
    if (owed > 0) kept->grant(owed);
  }

  /// The end of a stream waits for its callbacks, which take the guard: it comes after the lock.
  void release() {
    std::shared_ptr<bus::stream> taken;
    const std::scoped_lock lock{guard_};
    released_ = true;
    taken.swap(stream_);
  }

  const call_room& room_;
  const method& method_;
  bus::headers with_;
  ::grpc::ByteBuffer request_;
  std::mutex guard_;  ///< Guards what follows.
  std::shared_ptr<bus::stream> stream_;
  std::deque<::grpc::ByteBuffer> waiting_;  ///< The first one is being written.
  std::uint32_t owed_ = 0;                  ///< How many were written before there was a stream.
  std::optional<::grpc::Status> end_;       ///< The status that follows what waits.
  bool known_ = false;                      ///< It is known who calls.
  bool gone_ = false;                       ///< The caller has cancelled.
  bool closed_ = false;                     ///< Finish() was called.
  bool released_ = false;
};

/// The time until the caller gives up, within what the server allows.
milliseconds time_for(const call_room& room, const ::grpc::CallbackServerContext& context) {
  const auto left = std::chrono::duration_cast<milliseconds>(context.deadline() -
                                                             std::chrono::system_clock::now());
  return std::clamp(left, milliseconds{1}, room.config.answer_within);
}

}  // namespace

waiting_call make_unary(const call_room& room, ::grpc::CallbackServerContext& context,
                        const method& what) {
  auto* made = new unary_call{room, what, time_for(room, context)};
  return {made, [made](const admission& who) { made->known(who); }};
}

waiting_call make_stream(const call_room& room, const method& what) {
  auto* made = new stream_call{room, what};
  return {made, [made](const admission& who) { made->known(who); }};
}

reactor* refuse(const ::grpc::Status& why) {
  return new refusal{why};
}

}  // namespace argosy::rpc
