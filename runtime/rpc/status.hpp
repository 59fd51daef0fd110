// SPDX-License-Identifier: Apache-2.0
// The status with which a call over gRPC ends, and how an error of ours is told by it.
#pragma once

#include <string>

#include "runtime/base/error.hpp"
#include "runtime/border/status_code.hpp"

namespace argosy::rpc {

struct status {
  status_code code = status_code::ok;
  std::string message{};

  [[nodiscard]] bool ok() const noexcept { return code == status_code::ok; }
};

/// The status whose code makes clients do what the error asks for: those that try again by
/// themselves do so on RESOURCE_EXHAUSTED and UNAVAILABLE, and only then may the same request
/// succeed later. The detail is the message; a missing code stands for success.
[[nodiscard]] status to_status(const error& why);

}  // namespace argosy::rpc
