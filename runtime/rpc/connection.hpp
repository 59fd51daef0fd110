// SPDX-License-Identifier: Apache-2.0
// One connection: its socket, which may be encrypted, its session and its calls.
#pragma once

#include <sys/socket.h>

#include <cstddef>
#include <string>
#include <vector>

#include "runtime/rpc/calls.hpp"
#include "runtime/rpc/session/session_core.hpp"
#include "runtime/rpc/transport_security.hpp"

namespace argosy::rpc {

/// A socket that was accepted. It is closed by whoever holds it last.
class peer_socket {
 public:
  peer_socket() = default;
  peer_socket(int number, const sockaddr_storage& address);
  peer_socket(peer_socket&& from) noexcept;
  peer_socket& operator=(peer_socket&&) = delete;
  ~peer_socket();

  [[nodiscard]] int number() const noexcept { return number_; }
  [[nodiscard]] const std::string& peer() const noexcept { return peer_; }
  [[nodiscard]] const border::address_block& block() const noexcept { return block_; }

 private:
  int number_ = -1;
  std::string peer_;  ///< As gRPC names it: "ipv4:127.0.0.1:53120".
  border::address_block block_;
};

class connection {
 public:
  /// `security` may be null: then nothing is encrypted.
  connection(const call_room& room, peer_socket socket, connection_id id, post_function post,
             ssl_connection security, std::vector<worker_pool::task>& later, boot_time now);

  /// Takes what has come, but no more than a piece of it. False: the connection is over.
  [[nodiscard]] bool receive(std::vector<char>& room, boot_time now);
  /// Sends what is to be sent, as far as the caller takes it. False: the connection is over.
  [[nodiscard]] bool flush(boot_time now);
  [[nodiscard]] bool tick(boot_time now);
  /// For which events of epoll it waits.
  [[nodiscard]] std::uint32_t awaits() const;
  /// Whether there is more to be taken, of which epoll does not tell.
  [[nodiscard]] bool has_more() const;

  void shut_down();
  /// Ends all calls.
  void end();
  [[nodiscard]] bool is_quiet() const { return calls_.empty() && session_.calls() == 0; }

  /// Its calls, to which something happens now.
  [[nodiscard]] calls& calls_at(boot_time now) {
    session_.at(now);
    return calls_;
  }
  [[nodiscard]] int socket() const { return socket_.number(); }
  [[nodiscard]] const std::string& peer() const { return socket_.peer(); }
  [[nodiscard]] const char* fault() const { return session_.fault(); }

  /// What epoll was told to wait for.
  std::uint32_t awaited = 0;

 private:
  /// The number of bytes; 0: none now; negative: the connection is over.
  [[nodiscard]] std::ptrdiff_t take(char* to, std::size_t size);
  [[nodiscard]] std::ptrdiff_t give(const char* from, std::size_t size);
  [[nodiscard]] std::ptrdiff_t outcome_of(int done, bool gives);

  const peer_socket socket_;
  const ssl_connection security_;
  calls calls_;
  session_core session_;
  std::string out_;
  std::size_t out_at_ = 0;
  boot_time stuck_{};             ///< Since when the caller takes nothing; zero: he does.
  bool security_writes_ = false;  ///< The encryption has to write before it can read.
  bool security_reads_ = false;   ///< It has to read before it can write.
  bool closing_ = false;          ///< The connection is closed when all is sent.
};

}  // namespace argosy::rpc
