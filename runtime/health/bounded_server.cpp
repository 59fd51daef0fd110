// SPDX-License-Identifier: Apache-2.0
#include "runtime/health/bounded_server.hpp"

#include <arpa/inet.h>
#include <netdb.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <poll.h>
#include <sys/eventfd.h>
#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <functional>
#include <string>
#include <utility>

#include "runtime/health/growing_pool.hpp"

namespace argosy::health {

namespace {

using std::chrono::milliseconds;
using clock = std::chrono::steady_clock;

/// How many connections may wait to be accepted.
constexpr int waiting_max = 1'024;
/// How many bytes of an answer have to leave in a millisecond.
constexpr std::size_t bytes_per_ms = 64;

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

milliseconds left_until(clock::time_point end) {
  return std::chrono::ceil<milliseconds>(end - clock::now());
}

/// A connection.
class bounded_stream final : public httplib::Stream {
 public:
  /// `stop` can be read when the server stops, for which no slow client may have it wait.
  bounded_stream(socket_t socket, milliseconds within, int stop)
      : socket_(socket), within_(within), stop_(stop) {}

  /// The first byte of a request is there.
  void begin_request() { arrived_by_ = clock::now() + within_; }
  /// Waits for the first byte of a request.
  bool has_request(milliseconds at_most) const {
    return begin_ < end_ || wait_for(POLLIN, clock::now() + at_most);
  }

  bool is_readable() const override { return begin_ < end_ || wait_for(POLLIN, arrived_by_); }
  bool is_writable() const override {
    return wait_for(POLLOUT, clock::now() + within_) && is_there();
  }

  /// The library reads the lines of a request byte by byte.
  ssize_t read(char* to, size_t size) override {
    if (begin_ == end_) {
      ssize_t got = -1;
      do {
        if (!is_readable()) return -1;
        got = ::recv(socket_, buffer_.data(), buffer_.size(), 0);
      } while (got < 0 && errno == EINTR);
      if (got <= 0) return got;
      begin_ = 0;
      end_ = static_cast<std::size_t>(got);
    }
    const auto taken = std::min(size, end_ - begin_);
    std::copy_n(buffer_.begin() + static_cast<std::ptrdiff_t>(begin_), taken, to);
    begin_ += taken;
    return static_cast<ssize_t>(taken);
  }

  /// Sends all of it or fails.
  ssize_t write(const char* from, size_t size) override {
    const auto gone_by = clock::now() + within_ + milliseconds{size / bytes_per_ms};
    std::size_t sent = 0;
    while (sent < size) {
      if (!wait_for(POLLOUT, gone_by)) return -1;
      const auto got = ::send(socket_, from + sent, size - sent, MSG_NOSIGNAL | MSG_DONTWAIT);
      if (got < 0 && errno != EINTR && errno != EAGAIN) return -1;
      if (got > 0) sent += static_cast<std::size_t>(got);
    }
    return static_cast<ssize_t>(size);
  }

  void get_remote_ip_and_port(std::string& ip, int& port) const override {
    tell(::getpeername, ip, port);
  }
  void get_local_ip_and_port(std::string& ip, int& port) const override {
    tell(::getsockname, ip, port);
  }
  socket_t socket() const override { return socket_; }

 private:
  bool wait_for(short events, clock::time_point until) const {
    return is_ready(socket_, events, stop_, left_until(until));
  }

  /// Whether the other end has not closed the connection.
  bool is_there() const {
    char next = 0;
    const auto got = ::recv(socket_, &next, 1, MSG_PEEK | MSG_DONTWAIT);
    return got > 0 || (got < 0 && (errno == EAGAIN || errno == EINTR));
  }

  void tell(int (*name)(int, sockaddr*, socklen_t*), std::string& ip, int& port) const {
    sockaddr_storage address{};
    socklen_t size = sizeof address;
    auto* const plain = reinterpret_cast<sockaddr*>(&address);
    if (name(socket_, plain, &size) != 0) return;
    std::array<char, NI_MAXHOST> host{};
    std::array<char, NI_MAXSERV> service{};
    if (::getnameinfo(plain, size, host.data(), host.size(), service.data(), service.size(),
                      NI_NUMERICHOST | NI_NUMERICSERV) != 0)
      return;
    ip = host.data();
    port = std::stoi(service.data());
  }

  socket_t socket_;
  milliseconds within_;
  int stop_;
  clock::time_point arrived_by_{};
  std::array<char, 4'096> buffer_{};
  std::size_t begin_ = 0;  ///< Where in the buffer is what was not read yet.
  std::size_t end_ = 0;
};

/// The library would pack an answer with Brotli as tightly as can be, which takes seconds for a
/// megabyte.
void take_no_brotli(httplib::Request& request) {
  const auto takes = request.get_header_value("Accept-Encoding");
  if (takes.find("br") == std::string::npos) return;
  request.headers.erase("Accept-Encoding");
  if (takes.find("gzip") != std::string::npos) request.set_header("Accept-Encoding", "gzip");
}

/// The threads of the server, as the library asks for them.
class task_queue final : public httplib::TaskQueue {
 public:
  explicit task_queue(const connection_bounds& bounds)
      : threads_(bounds.connections_max, bounds.idle_for) {}
  void enqueue(std::function<void()> work) override { threads_.enqueue(std::move(work)); }
  void shutdown() override { threads_.shutdown(); }

 private:
  growing_pool threads_;
};

}  // namespace

bounded_server::bounded_server(connection_bounds bounds)
    : bounds_(bounds), stops_(::eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK)) {
  new_task_queue = [bounds] { return new task_queue(bounds); };
  // The library tells clients of these two.
  set_keep_alive_max_count(bounds.requests_max);
  set_keep_alive_timeout(std::chrono::ceil<std::chrono::seconds>(bounds.idle_for).count());
}

void bounded_server::end() {
  ::eventfd_write(stops_.get(), 1);
  stop();
}

void bounded_server::allow_bursts() const {
  static_cast<void>(::listen(svr_sock_, waiting_max));
}

bool bounded_server::process_and_close_socket(socket_t socket) {
  // The library sends the head and the body of an answer one after the other. Without this the body
  // waits until the client has acknowledged the head, which most do after 40 ms.
  const int yes = 1;
  static_cast<void>(::setsockopt(socket, IPPROTO_TCP, TCP_NODELAY, &yes, sizeof yes));
  bounded_stream stream{socket, bounds_.request_within, stops_.get()};
  bool good = true;
  bool closed = false;
  kept_socket held{socket};
  for (auto left = bounds_.requests_max; left > 0 && good && !closed; --left) {
    if (!stream.has_request(bounds_.idle_for)) break;
    stream.begin_request();
    good = process_request(stream, left == 1, closed, take_no_brotli);
    if (const auto take = taker_of_connection()) {
      take(std::move(held));
      return true;
    }
  }
  return good;
}

}  // namespace argosy::health
