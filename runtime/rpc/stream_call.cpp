// SPDX-License-Identifier: Apache-2.0
#include <deque>
#include <mutex>
#include <optional>
#include <utility>

#include "runtime/rpc/bytes.hpp"
#include "runtime/rpc/calls.hpp"
#include "runtime/rpc/request_bytes.hpp"
#include "runtime/rpc/status.hpp"

namespace argosy::rpc {

namespace {

/// Writes one item after the other, and takes another from the bus for each that was written, so
/// that no more than the credit wait here for a slow caller.
class stream_call final : public ::grpc::ServerGenericBidiReactor {
 public:
  stream_call(const call_room& room, ::grpc::CallbackServerContext& context, const method& what)
      : room_(room), method_(what), wait_(room.callers, context) {}

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
      read();
  }

  void OnReadDone(bool ok) override {
    wait_.end();
    if (!ok) {
      close(no_request(), when::written);
      return;
    }
    std::string bytes;
    if (const auto read = read_request(request_, request_bytes_max(room_.config, method_), bytes);
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
      } else if (wait_.end(); end_) {
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

  void read() {
    wait_.begin();
    StartRead(&request_);
  }

  /// The guard is held.
  void write_next() {
    wait_.begin();
    StartWrite(&waiting_.front(), options_for(waiting_.front()));
  }

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
  caller_wait wait_;
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

}  // namespace

waiting_call make_stream(const call_room& room, ::grpc::CallbackServerContext& context,
                         const method& what) {
  auto* made = new stream_call{room, context, what};
  return {made, [made](const admission& who) { made->known(who); }};
}

}  // namespace argosy::rpc
