// SPDX-License-Identifier: Apache-2.0
// How a call of JetStream failed, before it is turned into an error. Internal to the log.
#pragma once

#include <nats/nats.h>

#include <cstdint>
#include <optional>
#include <string>

#include "runtime/base/error.hpp"

namespace argosy::eventlog {

struct js_failure {
  natsStatus status = NATS_OK;
  jsErrCode code{};
  std::string text{};

  /// Whether the server may have carried out the call nevertheless.
  [[nodiscard]] bool ambiguous() const;
  /// The error if the server's own code says which it is. `sentence` tells what failed; `bytes_max`
  /// is the limit of the stream in bytes.
  [[nodiscard]] std::optional<error> known_error(const std::string& sentence,
                                                 std::uint64_t bytes_max) const;
};

}  // namespace argosy::eventlog
