// SPDX-License-Identifier: Apache-2.0
#include "runtime/bus/paced_stream.hpp"

#include <utility>

namespace argosy::bus {

result<void> paced_stream::begin(connection& to, const frame& request,
                                 std::deque<std::string> messages) {
  const std::shared_ptr<paced_stream> made{new paced_stream{std::move(messages)}};
  stream_writer_events events;
  // The writer keeps these callbacks, and through them the stream, until end() releases the writer.
  events.on_credit = [made] { made->send_more(); };
  events.on_cancel = [made](const error&) { made->end(); };
  auto accepted = to.accept_stream(request, std::move(events));
  if (!accepted) return fail(std::move(accepted.error()));
  {
    const std::lock_guard guard{made->mutex_};
    made->writer_ = std::move(*accepted);
  }
  made->send_more();
  return {};
}

void paced_stream::send_more() {
  const auto alive = shared_from_this();
  std::unique_lock guard{mutex_};
  if (std::exchange(sending_, true)) {
    wanted_ = true;
    return;
  }
  const auto writer = writer_;
  bool open = writer != nullptr;
  while (open && !unsent_.empty()) {
    wanted_ = false;
    const auto& message = unsent_.front();
    guard.unlock();
    const bool sent = send_one(*writer, message);
    guard.lock();
    if (sent)
      unsent_.pop_front();
    else if (!wanted_)
      break;
    open = writer_ != nullptr;
  }
  sending_ = false;
  const bool done = open && unsent_.empty();
  guard.unlock();
  if (!done) return;
  writer->finish();
  end();
}

bool paced_stream::send_one(stream_writer& writer, const std::string& message) {
  const auto state = writer.send(message);
  if (state && *state == send_state::sent) return true;
  if (!state) writer.finish(state.error());
  if (!state || *state == send_state::closed) end();
  return false;
}

void paced_stream::end() {
  // The reference is released after the lock, since the last one destroys this object.
  const auto alive = shared_from_this();
  std::shared_ptr<stream_writer> last;
  const std::lock_guard guard{mutex_};
  last = std::exchange(writer_, nullptr);
}

}  // namespace argosy::bus
