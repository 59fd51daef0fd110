// SPDX-License-Identifier: Apache-2.0
// Who calls over a transport of this process, as far as the connection tells, and whether he is
// known. What he may do is decided by the GATEWAY.
#pragma once

#include <cstdint>
#include <functional>
#include <string>

#include "runtime/bus/headers.hpp"

namespace argosy::rpc {

struct caller {
  /// The other end of the connection, as gRPC names it: "ipv4:127.0.0.1:53120".
  std::string peer;
  /// The header `authorization`; empty if there is none.
  std::string authorization;
  /// The port of this process that the connection is to; 0 if it is not known.
  std::uint16_t port = 0;
};

struct admission {
  enum class kind : std::uint8_t {
    admitted,
    unknown,  ///< Nobody is known by what he presents, or he presents nothing.
    busy,     ///< Too many are being checked; he may try again.
    broken,   ///< Whoever would have to be asked about him does not answer.
  };
  kind what = kind::unknown;
  std::string text{};  ///< Why he is not admitted.
  bus::headers who{};  ///< By these the GATEWAY knows whoever is admitted.
};

/// Finds out who calls, and calls back exactly once: before it returns, or later on any thread. It
/// is called on any thread, also at the same time.
using admit_function = std::function<void(const caller&, std::function<void(admission)>)>;

}  // namespace argosy::rpc
