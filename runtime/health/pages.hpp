// SPDX-License-Identifier: Apache-2.0
// This file declares pages that others add to the HTTP endpoint.
#pragma once

#include <string_view>

namespace httplib {
class Server;
}

namespace argosy::health {

class pages {
 public:
  virtual ~pages() = default;
  /// Adds the pages; again, if the server could not listen and another one is made.
  virtual void add_to(httplib::Server& server) = 0;
  /// Whether a request to this path, which may have a query, is a call, whose caller is asked for
  /// before it costs much.
  [[nodiscard]] virtual bool is_call(std::string_view path) const {
    static_cast<void>(path);
    return false;
  }
  /// Whether a request of this method to this path, which may have a query, may have a body.
  [[nodiscard]] virtual bool takes_body(std::string_view method, std::string_view path) const {
    static_cast<void>(method);
    static_cast<void>(path);
    return false;
  }
  /// Ends the answers under way, for which the end of the server waits.
  virtual void stop() = 0;
};

}  // namespace argosy::health
