// SPDX-License-Identifier: Apache-2.0
// A request as the library reads it and its answer as the library writes it: neither has more bytes
// nor takes more time than it may.
#pragma once

#include <httplib.h>

#include <array>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <string>

#include "runtime/health/connection_bounds.hpp"
#include "runtime/health/front/open_connection.hpp"
#include "runtime/health/front/stalled_clients.hpp"

namespace argosy::health {

class bounded_stream final : public httplib::Stream {
 public:
  /// The head of the request has arrived at `from`. `stop` can be read when the server stops, for
  /// which no slow client may have it wait. All must outlive this object.
  bounded_stream(open_connection& from, const request_head& head, const connection_bounds& bounds,
                 stalled_clients& stalled, int stop);

  /// Whether something of the body may be left, so that no other request can follow.
  [[nodiscard]] bool has_unread() const;
  /// How many bytes of what had arrived were this request's.
  [[nodiscard]] std::size_t taken() const { return taken_; }

  bool is_readable() const override;
  bool is_writable() const override;
  /// The library reads the lines of a request byte by byte.
  ssize_t read(char* to, size_t size) override;
  /// Sends all of it or fails.
  ssize_t write(const char* from, size_t size) override;
  void get_remote_ip_and_port(std::string& ip, int& port) const override;
  void get_local_ip_and_port(std::string& ip, int& port) const override;
  socket_t socket() const override { return from_.socket.get(); }

 private:
  using clock = std::chrono::steady_clock;

  [[nodiscard]] bool wait_for(short events, clock::time_point until, std::size_t held) const;
  [[nodiscard]] bool is_there() const;
  [[nodiscard]] std::size_t take_arrived(char* to, std::size_t size);
  [[nodiscard]] bool receive(std::uint64_t at_most);

  open_connection& from_;
  const request_head& head_;
  const connection_bounds& bounds_;
  stalled_clients& stalled_;
  const int stop_;
  const clock::time_point arrived_by_;
  std::size_t head_taken_ = 0;  ///< So many bytes of the head were read.
  std::size_t taken_;           ///< So many bytes of what had arrived are the request's.
  std::size_t received_ = 0;    ///< Bytes of the body, which whoever reads it has.
  std::uint64_t body_left_;     ///< So much may be read, with what tells chunks apart.
  bool told_to_go_on_ = false;
  std::array<char, 4'096> buffer_{};
  std::size_t begin_ = 0;  ///< Where in the buffer is what was not read yet.
  std::size_t end_ = 0;
};

}  // namespace argosy::health
