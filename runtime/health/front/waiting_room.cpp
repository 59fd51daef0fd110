// SPDX-License-Identifier: Apache-2.0
#include "runtime/health/front/waiting_room.hpp"

#include <netinet/in.h>
#include <netinet/tcp.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <sys/socket.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <string>

#include "runtime/health/front/refused_request.hpp"

namespace argosy::health {

namespace {

using std::chrono::milliseconds;
using namespace std::chrono_literals;

/// How many connections are accepted before others are looked at again.
constexpr int accepted_at_once = 64;
/// How long a connection that is closed may go on sending, and how many bytes.
constexpr milliseconds leaving_for = 1s;
constexpr std::size_t dropped_max = std::size_t{16} << 20;
constexpr std::size_t dropped_at_once = 256 << 10;
/// How long no connection is accepted when the process has no descriptor left.
constexpr milliseconds full_for = 100ms;

void watch(int epoll, int socket, int how, std::uint32_t events) {
  epoll_event event{events, {.fd = socket}};
  ::epoll_ctl(epoll, how, socket, &event);
}

}  // namespace

bool open_connection::take() {
  std::array<char, 4 << 10> buffer;  // Thousands of connections may hold as much.
  ssize_t got = -1;
  do got = ::recv(socket.get(), buffer.data(), buffer.size(), MSG_DONTWAIT);
  while (got < 0 && errno == EINTR);
  if (got > 0) arrived.append(buffer.data(), static_cast<std::size_t>(got));
  return got > 0 || (got < 0 && errno == EAGAIN);
}

waiting_room::waiting_room(config with)
    : config_(std::move(with)),
      epoll_(::epoll_create1(EPOLL_CLOEXEC)),
      wake_(::eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK)) {
  watch(epoll_.get(), wake_.get(), EPOLL_CTL_ADD, EPOLLIN);
}

waiting_room::~waiting_room() = default;

void waiting_room::run(int listening) {
  listening_ = listening;
  watch(epoll_.get(), listening_, EPOLL_CTL_ADD, EPOLLIN);
  std::array<epoll_event, 64> events{};
  // take_returned() may have taken what was to wake this thread, so that it looks first.
  while (!is_stopped()) {
    const int got = ::epoll_wait(epoll_.get(), events.data(), events.size(), wait_time());
    // Those that were here before come first, so that nobody new has one closed that is whole.
    bool some_wait = false;
    for (int i = 0; i < got; ++i) {
      const int socket = events[static_cast<std::size_t>(i)].data.fd;
      if (socket == listening_)
        some_wait = true;
      else if (socket != wake_.get())
        look_at(socket);
    }
    take_returned();
    if (some_wait) accept_some();
    close_late();
  }
  here_.clear();
}

bool waiting_room::is_stopped() {
  const std::scoped_lock lock{guard_};
  return stopped_;
}

void waiting_room::stop() {
  std::vector<std::pair<connection_pointer, bool>> gone;
  {
    const std::scoped_lock lock{guard_};
    stopped_ = true;
    gone.swap(returned_);
  }
  ::eventfd_write(wake_.get(), 1);
}

void waiting_room::give_back(connection_pointer one) {
  {
    const std::scoped_lock lock{guard_};
    if (stopped_) return;
    returned_.emplace_back(std::move(one), false);
    if (returned_.size() > 1) return;
  }
  ::eventfd_write(wake_.get(), 1);
}

void waiting_room::let_go(connection_pointer one) {
  ::shutdown(one->socket.get(), SHUT_WR);
  {
    const std::scoped_lock lock{guard_};
    if (stopped_) return;
    returned_.emplace_back(std::move(one), true);
    if (returned_.size() > 1) return;
  }
  ::eventfd_write(wake_.get(), 1);
}

void waiting_room::take_returned() {
  std::vector<std::pair<connection_pointer, bool>> come;
  {
    const std::scoped_lock lock{guard_};
    come.swap(returned_);
    eventfd_t ignored = 0;
    static_cast<void>(::eventfd_read(wake_.get(), &ignored));
  }
  for (auto& [one, leaves] : come) enter(std::move(one), leaves);
}

void waiting_room::accept_some() {
  for (int i = 0; i < accepted_at_once; ++i) {
    sockaddr_storage address{};
    socklen_t size = sizeof address;
    const int got =
        ::accept4(listening_, reinterpret_cast<sockaddr*>(&address), &size, SOCK_CLOEXEC);
    if (got < 0) {
      if (errno == ECONNABORTED || errno == EINTR) continue;
      if (errno != EMFILE && errno != ENFILE && errno != ENOMEM && errno != ENOBUFS) return;
      // One that waits makes room for the next one.
      if (const auto gone = places_.first_to_go())
        static_cast<void>(leave(static_cast<int>(*gone)));
      watch(epoll_.get(), listening_, EPOLL_CTL_MOD, 0);
      full_until_ = clock::now() + full_for;
      return;
    }
    auto one = std::make_unique<open_connection>(open_connection{
        kept_socket{got}, border::address_block::of(address), head_reader{config_.bounds.head}});
    if (config_.admits && !config_.admits(got)) continue;
    // The library sends the head and the body of an answer one after the other. Without this the
    // body waits until the client has acknowledged the head, which most do after 40 ms.
    const int yes = 1;
    static_cast<void>(::setsockopt(got, IPPROTO_TCP, TCP_NODELAY, &yes, sizeof yes));
    enter(std::move(one), false);
  }
}

void waiting_room::enter(connection_pointer one, bool leaves) {
  const int socket = one->socket.get();
  const auto block = one->block;
  auto& mine = here_[socket];
  mine = {std::move(one), {}, leaves};
  places_.add(socket, block);
  ends_.emplace(mine.until, socket);
  set_end(socket, mine, leaves ? leaving_for : config_.bounds.idle_for);
  watch(epoll_.get(), socket, EPOLL_CTL_ADD, EPOLLIN);
  if (places_.size() > config_.bounds.waiting_max)
    static_cast<void>(leave(static_cast<int>(*places_.first_to_go())));
  look_at(socket);
}

void waiting_room::look_at(int socket) {
  const auto found = here_.find(socket);
  if (found == here_.end()) return;
  if (found->second.leaves)
    drop_bytes(socket, found->second);
  else
    look_at_request(socket, found->second);
}

void waiting_room::look_at_request(int socket, entry& of) {
  const bool is_open = of.held->take();
  auto got = of.held->next();
  if (const auto* const why = std::get_if<head_refusal>(&got)) {
    refuse(socket, *why);
    return;
  }
  if (auto* const head = std::get_if<request_head>(&got)) {
    const auto why = config_.refusal ? config_.refusal(*head) : std::nullopt;
    if (why)
      refuse(socket, *why);
    else
      config_.serve(leave(socket), std::move(*head));
    return;
  }
  if (!is_open) {
    static_cast<void>(leave(socket));
    return;
  }
  if (of.begun || of.held->arrived.empty()) return;
  of.begun = true;
  set_end(socket, of, config_.bounds.request_within);
}

void waiting_room::drop_bytes(int socket, entry& of) {
  // For TCP this drops the bytes without a copy.
  const auto got = ::recv(socket, nullptr, dropped_at_once, MSG_TRUNC | MSG_DONTWAIT);
  if (got > 0) of.dropped += static_cast<std::size_t>(got);
  const bool goes_on = got > 0 ? of.dropped < dropped_max : got < 0 && errno == EAGAIN;
  if (!goes_on) static_cast<void>(leave(socket));
}

void waiting_room::refuse(int socket, const head_refusal& why) {
  const auto text = refused_request(why);
  // A connection that waits has nothing to send, so that this little has room.
  static_cast<void>(::send(socket, text.data(), text.size(), MSG_NOSIGNAL | MSG_DONTWAIT));
  ::shutdown(socket, SHUT_WR);
  auto& mine = here_.at(socket);
  mine.leaves = true;
  std::string{}.swap(mine.held->arrived);
  set_end(socket, mine, leaving_for);
}

void waiting_room::set_end(int socket, entry& of, milliseconds in) {
  ends_.erase({of.until, socket});
  of.until = clock::now() + in;
  ends_.emplace(of.until, socket);
}

waiting_room::connection_pointer waiting_room::leave(int socket) {
  const auto found = here_.find(socket);
  auto out = std::move(found->second.held);
  ends_.erase({found->second.until, socket});
  places_.remove(socket);
  here_.erase(found);
  watch(epoll_.get(), socket, EPOLL_CTL_DEL, 0);
  return out;
}

void waiting_room::close_late() {
  const auto now = clock::now();
  while (!ends_.empty() && ends_.begin()->first <= now)
    static_cast<void>(leave(ends_.begin()->second));
  if (!full_until_ || *full_until_ > now) return;
  full_until_.reset();
  watch(epoll_.get(), listening_, EPOLL_CTL_MOD, EPOLLIN);
}

int waiting_room::wait_time() const {
  auto until = full_until_;
  if (!ends_.empty()) until = std::min(until.value_or(ends_.begin()->first), ends_.begin()->first);
  if (!until) return -1;
  const auto left = std::chrono::ceil<milliseconds>(*until - clock::now());
  return static_cast<int>(std::max<std::int64_t>(0, left.count()));
}

}  // namespace argosy::health
