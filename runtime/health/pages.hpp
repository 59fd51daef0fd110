// SPDX-License-Identifier: Apache-2.0
// This file declares pages that others add to the HTTP endpoint.
#pragma once

namespace httplib {
class Server;
}

namespace argosy::health {

class pages {
 public:
  virtual ~pages() = default;
  /// Adds the pages; again, if the server could not listen and another one is made.
  virtual void add_to(httplib::Server& server) = 0;
  /// Ends the answers under way, for which the end of the server waits.
  virtual void stop() = 0;
};

}  // namespace argosy::health
