// SPDX-License-Identifier: Apache-2.0
#include "runtime/rpc/server.hpp"

#include <netdb.h>
#include <netinet/in.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <cerrno>
#include <optional>
#include <string_view>
#include <thread>
#include <utility>
#include <vector>

#include "runtime/border/host_and_port.hpp"
#include "runtime/logging/logger.hpp"
#include "runtime/rpc/calls.hpp"
#include "runtime/rpc/io_loop.hpp"
#include "runtime/rpc/transport_security.hpp"

namespace argosy::rpc {

namespace {

const logging::logger logger{"grpc"};

/// How long calls under way may take to end when the server stops.
constexpr std::chrono::milliseconds stop_within{1'000};

constexpr std::size_t loops_max = 2;
constexpr std::size_t workers_max = 4;
constexpr int backlog = 1'024;
/// So many connections are accepted in one turn.
constexpr int accept_at_once = 64;

std::size_t threads(std::size_t at_least, std::size_t at_most) {
  return std::clamp<std::size_t>(std::thread::hardware_concurrency(), at_least, at_most);
}

/// Half of the files that this process may have open are left for all else.
guest_list::bounds bounds() {
  guest_list::bounds out;
  rlimit files{};
  if (::getrlimit(RLIMIT_NOFILE, &files) == 0 && files.rlim_cur != RLIM_INFINITY)
    out.all_max = std::min<std::size_t>(out.all_max, files.rlim_cur / 2);
  out.strangers_max = std::min(out.strangers_max, out.all_max / 2);
  out.user_max = std::min(out.user_max, out.all_max / 4);
  return out;
}

struct socket_closer {
  int number = -1;
  explicit socket_closer(int from) : number(from) {}
  socket_closer(socket_closer&& from) noexcept : number(std::exchange(from.number, -1)) {}
  socket_closer& operator=(socket_closer&&) = delete;
  ~socket_closer() {
    if (number >= 0) ::close(number);
  }
};
using sockets = std::vector<socket_closer>;

std::uint16_t port_of(int socket) {
  sockaddr_storage address{};
  socklen_t size = sizeof address;
  if (::getsockname(socket, reinterpret_cast<sockaddr*>(&address), &size) != 0) return 0;
  return ntohs(address.ss_family == AF_INET ? reinterpret_cast<sockaddr_in&>(address).sin_port
                                            : reinterpret_cast<sockaddr_in6&>(address).sin6_port);
}

/// Two processes on one port would each get a part of the calls: the port is not shared.
socket_closer listen_on(const addrinfo& where) {
  socket_closer out{::socket(where.ai_family, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0)};
  const int on = 1;
  const int off = 0;
  ::setsockopt(out.number, SOL_SOCKET, SO_REUSEADDR, &on, sizeof on);
  if (where.ai_family == AF_INET6)
    ::setsockopt(out.number, IPPROTO_IPV6, IPV6_V6ONLY, &off, sizeof off);
  if (::bind(out.number, where.ai_addr, where.ai_addrlen) != 0 ||
      ::listen(out.number, backlog) != 0)
    return socket_closer{-1};
  return out;
}

/// Listens on every address of the host, all with the same port.
sockets listen_on(const host_and_port& wanted) {
  addrinfo hints{};
  hints.ai_socktype = SOCK_STREAM;
  hints.ai_flags = AI_PASSIVE | AI_NUMERICSERV;
  addrinfo* found = nullptr;
  sockets out;
  auto port = wanted.port;
  if (::getaddrinfo(wanted.host.c_str(), std::to_string(port).c_str(), &hints, &found) != 0)
    return out;
  const std::unique_ptr<addrinfo, void (*)(addrinfo*)> held{found, ::freeaddrinfo};
  for (const auto* each = found; each != nullptr; each = each->ai_next) {
    auto& place = each->ai_family == AF_INET
                      ? reinterpret_cast<sockaddr_in*>(each->ai_addr)->sin_port
                      : reinterpret_cast<sockaddr_in6*>(each->ai_addr)->sin6_port;
    place = htons(port);
    auto made = listen_on(*each);
    if (made.number < 0) continue;
    port = port_of(made.number);
    out.push_back(std::move(made));
  }
  return out;
}

}  // namespace

struct server::impl {
  impl(server_config wanted, sockets listening, std::unique_ptr<server_certificate> proof)
      : config(std::move(wanted)),
        listeners(std::move(listening)),
        security(std::move(proof)),
        guests(bounds()),
        room{config, std::make_shared<worker_pool>(threads(2, workers_max)), guests,
             port_of(listeners.front().number)} {
    const auto count = threads(1, loops_max);
    std::vector<int> numbers;
    for (const auto& each : listeners) numbers.push_back(each.number);
    for (std::size_t i = 0; i < count; ++i)
      loops.push_back(std::make_unique<io_loop>(room, security.get(),
                                                i == 0 ? numbers : std::vector<int>{},
                                                [this](int listener) { return accept(listener); }));
    for (auto& each : loops) each->start();
  }

  ~impl() {
    for (auto& each : loops) each->begin_stop(stop_within);
    for (auto& each : loops) each->stop();
    room.workers->stop();
  }

  /// The loop whose connection it is.
  io_loop& loop_of(connection_id id) { return *loops[static_cast<std::size_t>(id) % loops.size()]; }

  /// False: there are no descriptors, or no memory, left for more.
  bool accept(int listener) {
    for (int i = 0; i < accept_at_once; ++i) {
      sockaddr_storage from{};
      socklen_t size = sizeof from;
      const auto number = ::accept4(listener, reinterpret_cast<sockaddr*>(&from), &size,
                                    SOCK_NONBLOCK | SOCK_CLOEXEC);
      if (number < 0)
        return errno != EMFILE && errno != ENFILE && errno != ENOBUFS && errno != ENOMEM;
      peer_socket made{number, from};
      if (!guests.has_place()) continue;
      const auto id = ++last;
      const auto gone = guests.add(id, made.block());
      loop_of(id).adopt(std::move(made), id);
      if (gone) loop_of(*gone).close(*gone);
    }
    return true;
  }

  const server_config config;
  const sockets listeners;
  const std::unique_ptr<server_certificate> security;
  guest_list guests;
  const call_room room;
  connection_id last = 0;  ///< Only the first loop, which accepts, uses it.
  std::string address;
  std::vector<std::unique_ptr<io_loop>> loops;
};

server::server(std::unique_ptr<impl> made) : impl_(std::move(made)) {}

result<std::unique_ptr<server>> server::start(server_config config) {
  const auto wanted = read_host_and_port(config.listen);
  if (!wanted) return fail(ec::invalid_argument, "'" + config.listen + "' is not HOST:PORT");
  std::unique_ptr<server_certificate> proof;
  if (!config.certificate.empty()) {
    auto loaded = server_certificate::load(config.certificate, config.key);
    if (!loaded) return fail(std::move(loaded.error()));
    proof = std::move(*loaded);
  }
  auto listening = listen_on(*wanted);
  if (listening.empty())
    return fail(ec::already_exists, "cannot listen on " + config.listen +
                                        " for gRPC: the address is taken or not of this machine");
  const auto host = config.listen.substr(0, config.listen.rfind(':'));
  auto made = std::make_unique<impl>(std::move(config), std::move(listening), std::move(proof));
  made->address = host + ":" + std::to_string(made->room.port);
  logger.info("serving gRPC", logging::kv("address", made->address),
              logging::kv("encrypted", !made->config.certificate.empty()));
  return std::unique_ptr<server>{new server{std::move(made)}};
}

server::~server() = default;

const std::string& server::address() const noexcept {
  return impl_->address;
}

std::string server::url() const {
  return (impl_->config.certificate.empty() ? "grpc://" : "grpcs://") + impl_->address;
}

std::uint16_t server::port() const noexcept {
  return impl_->room.port;
}

}  // namespace argosy::rpc
