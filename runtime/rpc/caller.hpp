// SPDX-License-Identifier: Apache-2.0
// Who calls over gRPC, as far as the connection tells, and whether he is let in.
#pragma once

#include <cstdint>
#include <string>

namespace argosy::rpc {

struct caller {
  /// The other end of the connection, as gRPC names it: "ipv4:127.0.0.1:53120".
  std::string peer;
  /// The header `authorization`; empty if there is none.
  std::string authorization;
};

struct admission {
  enum class kind : std::uint8_t {
    admitted,
    unknown,    ///< Nobody is known by what he presents, or he presents nothing.
    forbidden,  ///< He is known and may not call this.
  };
  kind what = kind::unknown;
  /// The name of whoever is admitted, otherwise why he is not.
  std::string text;
};

}  // namespace argosy::rpc
