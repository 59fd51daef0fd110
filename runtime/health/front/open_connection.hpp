// SPDX-License-Identifier: Apache-2.0
// This file declares a connection to the HTTP endpoint between its requests.
#pragma once

#include <cstddef>
#include <string>

#include "runtime/border/address_block.hpp"
#include "runtime/health/front/request_head.hpp"
#include "runtime/health/kept_connection.hpp"

namespace argosy::health {

struct open_connection {
  kept_socket socket;
  border::address_block block;
  head_reader reader;
  std::string arrived{};     ///< What is there of the next request.
  std::size_t requests = 0;  ///< So many were served.

  /// Looks for the head of the next request in what has arrived.
  [[nodiscard]] head_reader::outcome next() { return reader.look(arrived); }
  /// Takes what can be read without waiting, up to a bound. Returns false when the other end has
  /// closed the connection or it is broken.
  [[nodiscard]] bool take();
  /// So many bytes of what has arrived were a request that is done.
  void forget(std::size_t bytes) {
    arrived.erase(0, bytes);
    reader.begin();
  }
};

}  // namespace argosy::health
