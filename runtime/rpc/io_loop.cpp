// SPDX-License-Identifier: Apache-2.0
#include "runtime/rpc/io_loop.hpp"

#include <signal.h>
#include <sys/epoll.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <utility>

#include "runtime/base/check.hpp"
#include "runtime/logging/logger.hpp"

namespace argosy::rpc {

using std::chrono_literals::operator""s;
using std::chrono_literals::operator""ms;

namespace {

const logging::logger loop_log{"grpc"};

constexpr std::size_t events_max = 256;
/// What is read at once from a connection.
constexpr std::size_t buffer_bytes = std::size_t{64} << 10;
/// How often it is looked within the time that callers have.
constexpr int looks = 4;
constexpr boot_time tick_at_most = 1s;
/// Lines of the log that tell of callers who were sent away.
constexpr token_bucket::rule lines{10, 0.2};

// Numbers that no connection has.
constexpr connection_id mail_number = -1;
constexpr connection_id first_listener = -2;

boot_time now() {
  return system_clock_source().boot();
}

epoll_event event_of(std::uint32_t what, connection_id id) {
  epoll_event out{};
  out.events = what;
  out.data.u64 = static_cast<std::uint64_t>(id);
  return out;
}

}  // namespace

io_loop::io_loop(const call_room& room, server_certificate* security, std::vector<int> listeners,
                 std::function<bool(int)> accept)
    : room_(room),
      security_(security),
      listeners_(std::move(listeners)),
      accept_(std::move(accept)),
      mail_(std::make_shared<mailbox>()),
      tick_every_(std::min<boot_time>(room.config.caller_within / looks, tick_at_most)),
      epoll_(::epoll_create1(EPOLL_CLOEXEC)),
      lines_(lines),
      buffer_(buffer_bytes) {
  ARGOSY_CHECK(epoll_ >= 0);
  auto mail = event_of(EPOLLIN, mail_number);
  ::epoll_ctl(epoll_, EPOLL_CTL_ADD, mail_->socket(), &mail);
  watch_listeners(true);
}

io_loop::~io_loop() {
  if (thread_.joinable()) {
    begin_stop(0ms);
    stop();
  }
  ::close(epoll_);
}

void io_loop::start() {
  thread_ = std::thread{[this] { run(); }};
}

void io_loop::adopt(peer_socket socket, connection_id id) {
  const auto held = std::make_shared<peer_socket>(std::move(socket));
  mail_->post({0, {}, [this, held, id] { begin(std::move(*held), id); }});
}

void io_loop::close(connection_id id) {
  mail_->post({0, {}, [this, id] { drop(id); }});
}

void io_loop::begin_stop(std::chrono::milliseconds within) {
  mail_->post({0, {}, [this, within] {
                 watch_listeners(false);
                 stop_at_ = now_ + within;
                 for (const auto& [id, each] : connections_) {
                   each->shut_down();
                   touched_.push_back(id);
                 }
               }});
}

void io_loop::stop() {
  thread_.join();
}

void io_loop::run() {
  // A caller who has gone is told by the result of writing.
  sigset_t pipe;
  ::sigemptyset(&pipe);
  ::sigaddset(&pipe, SIGPIPE);
  ::pthread_sigmask(SIG_BLOCK, &pipe, nullptr);
  now_ = ticked_ = now();
  while (!over_) {
    wait();
    flush_touched();
    if (now_ - ticked_ >= tick_every_) tick();
    if (stop_at_ != boot_time{}) end_slowly();
    if (!later_.empty()) room_.workers->submit(std::exchange(later_, {}));
  }
  mail_->close();
}

int io_loop::time_left() const {
  if (!touched_.empty()) return 0;
  if (connections_.empty() && listens_ && stop_at_ == boot_time{}) return -1;
  const auto due =
      stop_at_ == boot_time{} ? ticked_ + tick_every_ : std::min(stop_at_, now_ + 50ms);
  const auto left = std::chrono::ceil<std::chrono::milliseconds>(due - now_);
  return static_cast<int>(std::max<std::chrono::milliseconds::rep>(left.count(), 0));
}

void io_loop::wait() {
  std::array<epoll_event, events_max> events{};
  const auto count = ::epoll_wait(epoll_, events.data(), events.size(), time_left());
  now_ = now();
  bool mail = false;
  for (int i = 0; i < count; ++i) {
    const auto& each = events[static_cast<std::size_t>(i)];
    const auto id = static_cast<connection_id>(each.data.u64);
    if (id == mail_number)
      mail = true;
    else if (id < mail_number)
      serve_listener(static_cast<std::size_t>(first_listener - id));
    else
      serve(id, each.events);
  }
  if (mail) take_mail();
}

void io_loop::serve(connection_id id, std::uint32_t what) {
  const auto found = connections_.find(id);
  if (found == connections_.end()) return;
  auto& one = *found->second;
  // Reading also finds out about errors; with encryption it may wait to write.
  if (what != EPOLLOUT || one.has_more() || security_ != nullptr) {
    if (!one.receive(buffer_, now_)) {
      drop(id);
      return;
    }
  }
  touched_.push_back(id);
}

void io_loop::serve_listener(std::size_t number) {
  // Without descriptors the system would tell of the same connection again at once.
  if (listens_ && !accept_(listeners_[number])) watch_listeners(false);
}

void io_loop::watch_listeners(bool on) {
  listens_ = on;
  for (std::size_t i = 0; i < listeners_.size(); ++i) {
    auto event = event_of(EPOLLIN, first_listener - static_cast<connection_id>(i));
    ::epoll_ctl(epoll_, on ? EPOLL_CTL_ADD : EPOLL_CTL_DEL, listeners_[i], &event);
  }
}

void io_loop::take_mail() {
  for (auto& each : mail_->take()) {
    if (each.to == 0) {
      each.for_loop();
    } else if (const auto found = connections_.find(each.to); found != connections_.end()) {
      each.for_calls(found->second->calls_at(now_));
      touched_.push_back(each.to);
    }
  }
}

void io_loop::begin(peer_socket socket, connection_id id) {
  ssl_connection secured;
  if (security_ != nullptr) {
    secured = security_->accept(socket.number(), now_);
    if (secured == nullptr) {
      room_.guests.remove(id);
      return;
    }
  }
  post_function post = [mail = mail_, id](std::function<void(calls&)> what) {
    mail->post({id, std::move(what), {}});
  };
  auto made = std::make_unique<connection>(room_, std::move(socket), id, std::move(post),
                                           std::move(secured), later_, now_);
  auto event = event_of(0, id);
  if (::epoll_ctl(epoll_, EPOLL_CTL_ADD, made->socket(), &event) != 0) {
    room_.guests.remove(id);
    return;
  }
  connections_.emplace(id, std::move(made));
  touched_.push_back(id);
}

void io_loop::flush_touched() {
  std::vector<connection_id> again;
  for (const auto id : std::exchange(touched_, {})) {
    const auto found = connections_.find(id);
    if (found == connections_.end()) continue;
    auto& one = *found->second;
    if (!one.flush(now_)) {
      drop(id);
      continue;
    }
    if (one.has_more() && one.receive(buffer_, now_)) again.push_back(id);
    if (const auto awaits = one.awaits(); awaits != one.awaited) {
      auto event = event_of(awaits, id);
      ::epoll_ctl(epoll_, EPOLL_CTL_MOD, one.socket(), &event);
      one.awaited = awaits;
    }
  }
  touched_.insert(touched_.end(), again.begin(), again.end());
}

void io_loop::tick() {
  ticked_ = now_;
  if (!listens_ && stop_at_ == boot_time{} && !listeners_.empty()) watch_listeners(true);
  std::vector<connection_id> all;
  all.reserve(connections_.size());
  for (const auto& [id, each] : connections_) all.push_back(id);
  for (const auto id : all) {
    if (connections_.at(id)->tick(now_))
      touched_.push_back(id);
    else
      drop(id);
  }
}

void io_loop::end_slowly() {
  const bool late = now_ >= stop_at_;
  std::vector<connection_id> quiet;
  for (const auto& [id, each] : connections_) {
    if (late) each->end();
    if (late || each->is_quiet()) quiet.push_back(id);
  }
  for (const auto id : quiet) {
    static_cast<void>(connections_.at(id)->flush(now_));
    drop(id);
  }
  over_ = connections_.empty();
}

void io_loop::drop(connection_id id) {
  const auto found = connections_.find(id);
  if (found == connections_.end()) return;
  if (const std::string_view why = found->second->fault(); !why.empty() && lines_.take(now_))
    loop_log.warning("a caller was sent away", logging::kv("peer", found->second->peer()),
                     logging::kv("why", why));
  room_.guests.remove(id);
  connections_.erase(found);
}

}  // namespace argosy::rpc
