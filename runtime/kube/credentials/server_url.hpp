// SPDX-License-Identifier: Apache-2.0
// The URL of an API server. Pure.
#pragma once

#include <string>
#include <string_view>

#include "runtime/base/result.hpp"

namespace argosy::kube {

struct server_url {
  std::string scheme;  ///< "https", or "http" for a server on loopback.
  std::string host;    ///< IPv6 addresses stand in brackets.
  std::string port;    ///< That of the scheme if the URL names none.
  std::string path;    ///< Empty, or with a slash at its beginning and none at its end.

  /// "https://10.0.0.1:6443"; the port of the scheme is left out.
  [[nodiscard]] std::string text() const;
  /// Whether the server is on this machine.
  [[nodiscard]] bool is_loopback() const;
};

/// Refuses URLs that hold a user, a query or a fragment, and http to anything but this machine, on
/// which tokens would be sent in the clear. The message says what is wrong with it.
[[nodiscard]] result<server_url> read_server_url(std::string_view text);

}  // namespace argosy::kube
