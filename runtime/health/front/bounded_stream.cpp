// SPDX-License-Identifier: Apache-2.0
#include "runtime/health/front/bounded_stream.hpp"

#include <arpa/inet.h>
#include <netdb.h>
#include <netinet/in.h>
#include <poll.h>
#include <sys/socket.h>

#include <algorithm>
#include <cerrno>
#include <string_view>

namespace argosy::health {

namespace {

using std::chrono::milliseconds;
using framing = request_head::framing;

/// How many bytes of an answer have to leave in a millisecond.
constexpr std::size_t bytes_per_ms = 64;
/// A body in chunks may have as many bytes again as it may have without what tells them apart.
constexpr std::uint64_t chunked_factor = 2;
constexpr std::string_view go_on = "HTTP/1.1 100 Continue\r\n\r\n";

/// Waits until the socket is ready for the events or broken, or until `stop` can be read. Returns
/// whether the socket was.
bool is_ready(socket_t socket, short events, int stop, milliseconds at_most) {
  std::array<pollfd, 2> asked{{{socket, events, 0}, {stop, POLLIN, 0}}};
  const auto wait = static_cast<int>(std::max(milliseconds{0}, at_most).count());
  int got = 0;
  do got = ::poll(asked.data(), asked.size(), wait);
  while (got < 0 && errno == EINTR);
  return asked[0].revents != 0;
}

void tell(socket_t socket, int (*name)(int, sockaddr*, socklen_t*), std::string& ip, int& port) {
  sockaddr_storage address{};
  socklen_t size = sizeof address;
  auto* const plain = reinterpret_cast<sockaddr*>(&address);
  if (name(socket, plain, &size) != 0) return;
  std::array<char, NI_MAXHOST> host{};
  std::array<char, NI_MAXSERV> service{};
  if (::getnameinfo(plain, size, host.data(), host.size(), service.data(), service.size(),
                    NI_NUMERICHOST | NI_NUMERICSERV) != 0)
    return;
  ip = host.data();
  port = std::stoi(service.data());
}

std::uint64_t body_bytes(const request_head& head, const connection_bounds& bounds) {
  if (head.body == framing::none) return 0;
  return head.body == framing::sized ? head.length : bounds.body_max * chunked_factor;
}

}  // namespace

bounded_stream::bounded_stream(open_connection& from, const request_head& head,
                               const connection_bounds& bounds, stalled_clients& stalled, int stop)
    : from_(from),
      head_(head),
      bounds_(bounds),
      stalled_(stalled),
      stop_(stop),
      arrived_by_(clock::now() + bounds.request_within),
      taken_(head.bytes),
      body_left_(body_bytes(head, bounds)) {}

bool bounded_stream::has_unread() const {
  return head_.body == framing::chunked || body_left_ > 0 || begin_ < end_;
}

bool bounded_stream::is_readable() const {
  return head_taken_ < head_.text.size() || begin_ < end_ ||
         wait_for(POLLIN, arrived_by_, received_);
}

bool bounded_stream::is_writable() const {
  return wait_for(POLLOUT, clock::now() + bounds_.request_within, 0) && is_there();
}

/// Takes what is there of the head or, after it, what came of the body together with it.
std::size_t bounded_stream::take_arrived(char* to, std::size_t size) {
  if (const auto some = head_.text.copy(to, size, head_taken_); some > 0) {
    head_taken_ += some;
    return some;
  }
  const auto at_most = static_cast<std::size_t>(std::min<std::uint64_t>(size, body_left_));
  const auto some = from_.arrived.copy(to, at_most, taken_);
  taken_ += some;
  body_left_ -= some;
  return some;
}

/// Fills the empty buffer with a part of the body.
bool bounded_stream::receive(std::uint64_t at_most) {
  if (head_.waits && !told_to_go_on_) {
    told_to_go_on_ = true;
    if (write(go_on.data(), go_on.size()) < 0) return false;
  }
  const auto size = static_cast<std::size_t>(std::min<std::uint64_t>(at_most, buffer_.size()));
  ssize_t got = -1;
  do {
    if (!wait_for(POLLIN, arrived_by_, received_)) return false;
    got = ::recv(socket(), buffer_.data(), size, MSG_DONTWAIT);
  } while (got < 0 && (errno == EINTR || errno == EAGAIN));
  if (got <= 0) return false;
  begin_ = 0;
  end_ = static_cast<std::size_t>(got);
  received_ += end_;
  return true;
}

ssize_t bounded_stream::read(char* to, size_t size) {
  if (begin_ == end_) {
    if (const auto some = take_arrived(to, size); some > 0) return static_cast<ssize_t>(some);
    if (body_left_ == 0) return head_.body == framing::chunked ? -1 : 0;
    if (!receive(body_left_)) return -1;
    body_left_ -= end_;
  }
  const auto some = std::min(size, end_ - begin_);
  std::copy_n(buffer_.begin() + static_cast<std::ptrdiff_t>(begin_), some, to);
  begin_ += some;
  return static_cast<ssize_t>(some);
}

ssize_t bounded_stream::write(const char* from, size_t size) {
  const auto gone_by = clock::now() + bounds_.request_within + milliseconds{size / bytes_per_ms};
  std::size_t sent = 0;
  while (sent < size) {
    const auto got = ::send(socket(), from + sent, size - sent, MSG_NOSIGNAL | MSG_DONTWAIT);
    if (got > 0) sent += static_cast<std::size_t>(got);
    if (got >= 0 || errno == EINTR) continue;
    if (errno != EAGAIN || !wait_for(POLLOUT, gone_by, size)) return -1;
  }
  return static_cast<ssize_t>(size);
}

void bounded_stream::get_remote_ip_and_port(std::string& ip, int& port) const {
  tell(socket(), ::getpeername, ip, port);
}

void bounded_stream::get_local_ip_and_port(std::string& ip, int& port) const {
  tell(socket(), ::getsockname, ip, port);
}

bool bounded_stream::wait_for(short events, clock::time_point until, std::size_t held) const {
  if (is_ready(socket(), events, stop_, milliseconds{0})) return true;
  const stalled_clients::place place{stalled_, socket(), from_.block, held};
  return is_ready(socket(), events, stop_, std::chrono::ceil<milliseconds>(until - clock::now()));
}

/// Whether the other end has not closed the connection.
bool bounded_stream::is_there() const {
  char next = 0;
  const auto got = ::recv(socket(), &next, 1, MSG_PEEK | MSG_DONTWAIT);
  return got > 0 || (got < 0 && (errno == EAGAIN || errno == EINTR));
}

}  // namespace argosy::health
