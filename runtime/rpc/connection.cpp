// SPDX-License-Identifier: Apache-2.0
#include "runtime/rpc/connection.hpp"

#include <arpa/inet.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <openssl/err.h>
#include <openssl/ssl.h>
#include <sys/epoll.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <utility>

namespace argosy::rpc {

namespace {

/// How much one connection may take of its turn, so that the others of its thread have theirs.
constexpr std::size_t in_per_turn = std::size_t{64} << 10;
constexpr std::size_t out_per_turn = std::size_t{256} << 10;
/// How much is taken at once of a stranger, and of a caller who has not taken yet what was to be
/// sent before: it is looked between whether more should be taken.
constexpr std::size_t small_in = std::size_t{4} << 10;
/// How much is sent at once. A caller who takes nothing has so much wait beside what is counted.
constexpr std::size_t out_at_once = std::size_t{16} << 10;

std::string name_of(const sockaddr_storage& address) {
  std::array<char, INET6_ADDRSTRLEN> text{};
  if (address.ss_family == AF_INET) {
    const auto& v4 = reinterpret_cast<const sockaddr_in&>(address);
    ::inet_ntop(AF_INET, &v4.sin_addr, text.data(), text.size());
    return "ipv4:" + std::string{text.data()} + ":" + std::to_string(ntohs(v4.sin_port));
  }
  const auto& v6 = reinterpret_cast<const sockaddr_in6&>(address);
  const auto port = std::to_string(ntohs(v6.sin6_port));
  if (IN6_IS_ADDR_V4MAPPED(&v6.sin6_addr)) {
    ::inet_ntop(AF_INET, &v6.sin6_addr.s6_addr[12], text.data(), text.size());
    return "ipv4:" + std::string{text.data()} + ":" + port;
  }
  ::inet_ntop(AF_INET6, &v6.sin6_addr, text.data(), text.size());
  return "ipv6:%5B" + std::string{text.data()} + "%5D:" + port;
}

}  // namespace

peer_socket::peer_socket(int number, const sockaddr_storage& address)
    : number_(number), peer_(name_of(address)), block_(border::address_block::of(address)) {
  const int on = 1;
  ::setsockopt(number_, IPPROTO_TCP, TCP_NODELAY, &on, sizeof on);
}

peer_socket::peer_socket(peer_socket&& from) noexcept
    : number_(std::exchange(from.number_, -1)), peer_(std::move(from.peer_)), block_(from.block_) {}

peer_socket::~peer_socket() {
  if (number_ >= 0) ::close(number_);
}

connection::connection(const call_room& room, peer_socket socket, connection_id id,
                       post_function post, ssl_connection security,
                       std::vector<worker_pool::task>& later, boot_time now)
    : socket_(std::move(socket)),
      security_(std::move(security)),
      calls_(room, {id, socket_.peer(), socket_.block()}, std::move(post), later),
      session_({room.config.streams_max, room.config.caller_within, room.config.strained_within},
               calls_, now) {
  calls_.attach(session_);
}

bool connection::receive(std::vector<char>& room, boot_time now) {
  if (closing_) return true;
  for (std::size_t taken = 0; taken < in_per_turn && !session_.wants_rest();) {
    const bool trusted = session_.known() && out_.empty();
    const auto size = take(room.data(), trusted ? room.size() : small_in);
    if (size < 0) return false;
    if (size == 0) break;
    taken += static_cast<std::size_t>(size);
    if (!session_.receive({room.data(), static_cast<std::size_t>(size)}, now)) {
      closing_ = true;
      break;
    }
  }
  return true;
}

bool connection::flush(boot_time now) {
  if (calls_.too_many()) closing_ = true;
  for (std::size_t sent = 0;;) {
    if (out_at_ == out_.size()) {
      out_.clear();
      out_at_ = 0;
      session_.produce(out_, out_at_once, now);
    }
    if (out_.empty()) {
      // Most connections are quiet for most of the time.
      out_ = {};
      break;
    }
    // The socket tells when the next turn may come, since something is left to be sent.
    if (sent >= out_per_turn) break;
    const auto size = give(out_.data() + out_at_, out_.size() - out_at_);
    if (size < 0) return false;
    if (size == 0) {
      if (stuck_ == boot_time{}) stuck_ = now;
      return true;
    }
    stuck_ = {};
    out_at_ += static_cast<std::size_t>(size);
    sent += static_cast<std::size_t>(size);
  }
  if (session_.over()) closing_ = true;
  return !closing_ || out_at_ < out_.size();
}

bool connection::tick(boot_time now) {
  // Who has been sent away is not waited for.
  if (stuck_ != boot_time{} && (closing_ || now - stuck_ > session_.patience())) return false;
  if (!session_.tick(now)) closing_ = true;
  return true;
}

std::uint32_t connection::awaits() const {
  std::uint32_t out = 0;
  if (!closing_ && !session_.wants_rest()) out |= EPOLLIN;
  if ((out_at_ < out_.size() && !security_reads_) || security_writes_) out |= EPOLLOUT;
  return out;
}

bool connection::has_more() const {
  return security_ != nullptr && SSL_pending(security_.get()) > 0 && !closing_ &&
         !session_.wants_rest();
}

void connection::shut_down() {
  session_.shut_down();
  calls_.end(false);
}

void connection::end() {
  calls_.end(true);
}

std::ptrdiff_t connection::outcome_of(int done, bool gives) {
  if (done > 0) return done;
  switch (SSL_get_error(security_.get(), done)) {
    case SSL_ERROR_WANT_READ:
      security_reads_ = gives;
      return 0;
    case SSL_ERROR_WANT_WRITE:
      security_writes_ = true;
      return 0;
    default:
      ERR_clear_error();
      return -1;
  }
}

std::ptrdiff_t connection::take(char* to, std::size_t size) {
  if (security_ != nullptr) {
    security_writes_ = false;
    return outcome_of(SSL_read(security_.get(), to, static_cast<int>(size)), false);
  }
  const auto got = ::recv(socket_.number(), to, size, 0);
  if (got > 0) return got;
  return got < 0 && (errno == EAGAIN || errno == EINTR) ? 0 : -1;
}

std::ptrdiff_t connection::give(const char* from, std::size_t size) {
  if (security_ != nullptr) {
    security_reads_ = false;
    return outcome_of(SSL_write(security_.get(), from, static_cast<int>(size)), true);
  }
  const auto sent = ::send(socket_.number(), from, size, MSG_NOSIGNAL);
  if (sent >= 0) return sent;
  return errno == EAGAIN || errno == EINTR ? 0 : -1;
}

}  // namespace argosy::rpc
