// SPDX-License-Identifier: Apache-2.0
// This file declares the codes of errors that callers of the API know, over gRPC and over REST.
#pragma once

#include <cstdint>

namespace argosy {

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

}  // namespace argosy
