// SPDX-License-Identifier: Apache-2.0
// This file declares the answer to a request that is not served.
#pragma once

#include <string>

#include "runtime/health/front/request_head.hpp"

namespace argosy::health {

/// The whole answer. Its body is an error as the API over REST writes them, and it says that the
/// connection ends.
[[nodiscard]] std::string refused_request(const head_refusal& why);

}  // namespace argosy::health
