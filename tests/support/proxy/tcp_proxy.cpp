// SPDX-License-Identifier: Apache-2.0
#include "tests/support/proxy/tcp_proxy.hpp"

#include <fcntl.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <poll.h>
#include <sys/eventfd.h>
#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <deque>
#include <list>
#include <mutex>
#include <random>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "tests/support/process/free_port.hpp"

namespace argosy::testing {

namespace {

using clock = std::chrono::steady_clock;
using std::chrono::milliseconds;

/// Above this, a direction takes no more bytes from its sender.
constexpr std::size_t held_bytes_max = 4u << 20;

class socket_fd {
 public:
  explicit socket_fd(int fd = -1) : fd_(fd) {}
  socket_fd(socket_fd&& other) noexcept : fd_(std::exchange(other.fd_, -1)) {}
  socket_fd& operator=(socket_fd&& other) noexcept {
    std::swap(fd_, other.fd_);
    return *this;
  }
  ~socket_fd() {
    if (fd_ >= 0) ::close(fd_);
  }
  [[nodiscard]] int get() const { return fd_; }
  /// Closing tells the other side by a reset instead of an orderly end.
  void reset_when_closed() const {
    const linger hard{1, 0};
    ::setsockopt(fd_, SOL_SOCKET, SO_LINGER, &hard, sizeof hard);
  }

 private:
  int fd_;
};

struct piece {
  clock::time_point due;
  std::string bytes;  ///< Empty: the sender has ended.
};

/// One direction of a connection.
struct direction {
  std::deque<piece> pieces;
  std::size_t held = 0;
  bool read_ended = false;
  bool write_ended = false;
};

struct connection {
  socket_fd client;
  socket_fd server;
  direction to_server;
  direction to_client;
  bool broken = false;
};

}  // namespace

class tcp_proxy::loop {
 public:
  loop(int server_port, std::uint64_t seed)
      : server_port_(server_port),
        random_(seed),
        listener_(::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0)),
        wake_(::eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK)) {
    port_ = bind_to_free_port(listener_.get());
    if (port_ == 0 || ::listen(listener_.get(), 64) != 0) {
      std::perror("a proxy finds no port");
      std::abort();
    }
    thread_ = std::thread{[this] { run(); }};
  }
  ~loop() {
    change([this] { stopping_ = true; });
    thread_.join();
  }

  template <class Change>
  void change(Change&& how) {
    {
      const std::lock_guard guard{mutex_};
      how();
    }
    const std::uint64_t one = 1;
    static_cast<void>(::write(wake_.get(), &one, sizeof one) == sizeof one);
  }
  void set(const link_state& state) {
    change([&] { state_ = state; });
  }
  void cut() {
    change([this] { cutting_ = true; });
  }
  [[nodiscard]] int port() const { return port_; }
  [[nodiscard]] std::pair<std::size_t, std::size_t> counts() {
    const std::lock_guard guard{mutex_};
    return {accepted_, resets_};
  }
  [[nodiscard]] std::size_t sent_by_clients() {
    const std::lock_guard guard{mutex_};
    return sent_by_clients_;
  }

 private:
  void run() {
    while (true) {
      std::vector<pollfd> polled{{wake_.get(), POLLIN, 0}, {listener_.get(), POLLIN, 0}};
      for (const auto& one : connections_) {
        polled.push_back({reads(one.to_server) ? one.client.get() : -1, POLLIN, 0});
        polled.push_back({reads(one.to_client) ? one.server.get() : -1, POLLIN, 0});
      }
      ::poll(polled.data(), polled.size(), 5);
      std::uint64_t ignored = 0;
      static_cast<void>(::read(wake_.get(), &ignored, sizeof ignored) > 0);
      const std::lock_guard guard{mutex_};
      if (stopping_) return;
      accept_all();
      for (auto& one : connections_) {
        if (cutting_) one.broken = true;
        carry(one, one.client, one.server, one.to_server, state_.to_server);
        carry(one, one.server, one.client, one.to_client, state_.to_client);
      }
      cutting_ = false;
      connections_.remove_if([this](const connection& one) {
        if (one.broken) {
          one.client.reset_when_closed();
          one.server.reset_when_closed();
          ++resets_;
        }
        return one.broken || (one.to_server.write_ended && one.to_client.write_ended);
      });
    }
  }

  /// Whether more is taken from the sender. Writing is tried each turn, since pieces have to wait.
  static bool reads(const direction& way) { return !way.read_ended && way.held < held_bytes_max; }

  void accept_all() {
    while (true) {
      socket_fd client{::accept4(listener_.get(), nullptr, nullptr, SOCK_CLOEXEC | SOCK_NONBLOCK)};
      if (client.get() < 0) return;
      ++accepted_;
      socket_fd server{::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0)};
      const auto at = loopback(server_port_);
      if (!state_.accepts ||
          ::connect(server.get(), reinterpret_cast<const sockaddr*>(&at), sizeof at) != 0) {
        client.reset_when_closed();
        continue;
      }
      ::fcntl(server.get(), F_SETFL, O_NONBLOCK);
      const int yes = 1;
      for (const auto* side : {&client, &server})
        ::setsockopt(side->get(), IPPROTO_TCP, TCP_NODELAY, &yes, sizeof yes);
      connections_.push_back({std::move(client), std::move(server), {}, {}, false});
    }
  }

  void carry(connection& whole, const socket_fd& from, const socket_fd& to, direction& way,
             bool open) {
    const auto held = way.held;
    read_into(whole, from, way);
    if (&way == &whole.to_server) sent_by_clients_ += way.held - held;
    if (open) write_due(whole, to, way);
  }

  void read_into(connection& whole, const socket_fd& from, direction& way) {
    char bytes[65'536];
    while (!whole.broken && reads(way)) {
      const auto size = ::recv(from.get(), bytes, sizeof bytes, 0);
      if (size < 0 && (errno == EAGAIN || errno == EWOULDBLOCK || errno == EINTR)) return;
      if (size < 0) {
        whole.broken = true;
        return;
      }
      if (state_.resets_per_million > 0 && random_() % 1'000'000 < state_.resets_per_million) {
        whole.broken = true;
        return;
      }
      way.read_ended = size == 0;
      way.held += static_cast<std::size_t>(size);
      auto due = clock::now() + state_.delay;
      if (state_.jitter.count() > 0)
        due += milliseconds{static_cast<std::int64_t>(
            random_() % static_cast<std::uint64_t>(state_.jitter.count()))};
      if (!way.pieces.empty()) due = std::max(due, way.pieces.back().due);
      way.pieces.push_back({due, std::string(bytes, static_cast<std::size_t>(size))});
    }
  }

  static void write_due(connection& whole, const socket_fd& to, direction& way) {
    while (!whole.broken && !way.pieces.empty() && way.pieces.front().due <= clock::now()) {
      auto& next = way.pieces.front().bytes;
      if (next.empty()) {
        ::shutdown(to.get(), SHUT_WR);
        way.write_ended = true;
        way.pieces.clear();
        return;
      }
      const auto size = ::send(to.get(), next.data(), next.size(), MSG_NOSIGNAL);
      if (size < 0 && (errno == EAGAIN || errno == EWOULDBLOCK || errno == EINTR)) return;
      if (size < 0) {
        whole.broken = true;
        return;
      }
      way.held -= static_cast<std::size_t>(size);
      next.erase(0, static_cast<std::size_t>(size));
      if (next.empty()) way.pieces.pop_front();
    }
  }

  const int server_port_;
  std::mt19937_64 random_;
  socket_fd listener_;
  socket_fd wake_;
  int port_ = 0;
  std::list<connection> connections_;  ///< Used by the thread alone.
  std::mutex mutex_;
  // The members below are guarded by mutex_.
  link_state state_;
  bool stopping_ = false;
  bool cutting_ = false;
  std::size_t accepted_ = 0;
  std::size_t resets_ = 0;
  std::size_t sent_by_clients_ = 0;
  std::thread thread_;
};

tcp_proxy::tcp_proxy(int server_port, std::uint64_t seed)
    : loop_(std::make_unique<loop>(server_port, seed)) {}
tcp_proxy::~tcp_proxy() = default;

int tcp_proxy::port() const noexcept {
  return loop_->port();
}
void tcp_proxy::set(const link_state& state) {
  loop_->set(state);
}
void tcp_proxy::cut() {
  loop_->cut();
}
std::size_t tcp_proxy::accepted() const {
  return loop_->counts().first;
}
std::size_t tcp_proxy::resets() const {
  return loop_->counts().second;
}

std::size_t tcp_proxy::sent_by_clients() const {
  return loop_->sent_by_clients();
}

}  // namespace argosy::testing
