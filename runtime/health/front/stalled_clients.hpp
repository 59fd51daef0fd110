// SPDX-License-Identifier: Apache-2.0
// The connections whose clients keep a thread waiting, by sending a body or taking an answer
// slowly. When they are too many, or what waits for them is too large, the connection of one of
// them is broken, so that its thread is free.
#pragma once

#include <cstddef>
#include <mutex>
#include <unordered_map>

#include "runtime/border/address_block.hpp"
#include "runtime/border/oldest_core.hpp"

namespace argosy::health {

class stalled_clients {
 public:
  stalled_clients(std::size_t most, std::size_t bytes_max) : most_(most), bytes_max_(bytes_max) {}

  /// While it exists, a thread waits for the client of the socket, which must stay open, and holds
  /// so many bytes for him.
  class place {
   public:
    place(stalled_clients& all, int socket, const border::address_block& block, std::size_t bytes)
        : all_(all), socket_(socket) {
      all_.add(socket, block, bytes);
    }
    ~place() { all_.remove(socket_); }
    place(const place&) = delete;
    place& operator=(const place&) = delete;

   private:
    stalled_clients& all_;
    int socket_;
  };

 private:
  void add(int socket, const border::address_block& block, std::size_t bytes);
  void remove(int socket);
  void take_out(int socket);

  const std::size_t most_;
  const std::size_t bytes_max_;
  std::mutex guard_;  ///< Guards what follows, and that sockets in it stay open.
  border::oldest_core places_;
  std::unordered_map<int, std::size_t> held_;
  std::size_t bytes_ = 0;
};

}  // namespace argosy::health
