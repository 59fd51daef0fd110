// SPDX-License-Identifier: Apache-2.0
// The connections whose clients keep a thread waiting, by sending a body or taking an answer
// slowly. When they are too many, the connection of one of them is broken, so that its thread is
// free.
#pragma once

#include <cstddef>
#include <mutex>

#include "runtime/border/address_block.hpp"
#include "runtime/border/oldest_core.hpp"

namespace argosy::health {

class stalled_clients {
 public:
  explicit stalled_clients(std::size_t most) : most_(most) {}

  /// While it exists, a thread waits for the client of the socket, which must stay open.
  class place {
   public:
    place(stalled_clients& all, int socket, const border::address_block& block)
        : all_(all), socket_(socket) {
      all_.add(socket, block);
    }
    ~place() { all_.remove(socket_); }
    place(const place&) = delete;
    place& operator=(const place&) = delete;

   private:
    stalled_clients& all_;
    int socket_;
  };

 private:
  void add(int socket, const border::address_block& block);
  void remove(int socket);

  const std::size_t most_;
  std::mutex guard_;  ///< Guards what follows, and that sockets in it stay open.
  border::oldest_core places_;
};

}  // namespace argosy::health
