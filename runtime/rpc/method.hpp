// SPDX-License-Identifier: Apache-2.0
// A method of the API as callers over gRPC name it, and where the bus has it.
#pragma once

#include <cstddef>
#include <functional>
#include <map>
#include <string>

namespace argosy::rpc {

struct method {
  std::string name;      ///< "Submit.SubmitJobs".
  std::string subject;   ///< Where requests go on the bus.
  bool streams = false;  ///< Whether the answer is a stream of messages.
  /// If it is not empty, ec::not_found is told as PERMISSION_DENIED with this before the detail,
  /// which clients of the existing API look for.
  std::string absence{};
  std::size_t request_bytes_max = 0;  ///< The largest request; 0: that of the server.
};

/// The methods by the path of their HTTP/2 request, "/api.Submit/SubmitJobs".
using method_map = std::map<std::string, method, std::less<>>;

}  // namespace argosy::rpc
