// SPDX-License-Identifier: Apache-2.0
// The status with which a call over gRPC ends, and how an error of ours is told by it.
#pragma once

#include <cstdint>
#include <string>

#include "runtime/base/error.hpp"

namespace argosy::rpc {

/// The codes of gRPC, with its numbers.
enum class status_code : std::uint8_t {
  ok = 0,
  cancelled = 1,
  unknown = 2,
  invalid_argument = 3,
  deadline_exceeded = 4,
  not_found = 5,
  already_exists = 6,
  permission_denied = 7,
  resource_exhausted = 8,
  failed_precondition = 9,
  aborted = 10,
  out_of_range = 11,
  unimplemented = 12,
  internal = 13,
  unavailable = 14,
  data_loss = 15,
  unauthenticated = 16,
};

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
