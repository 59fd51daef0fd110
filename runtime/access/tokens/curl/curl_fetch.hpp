// SPDX-License-Identifier: Apache-2.0
// Requests over HTTP by libcurl. No redirect is followed, since it could lead to where a URL of the
// settings would not have been let.
#pragma once

#include "runtime/access/tokens/fetch.hpp"

namespace argosy::access {

/// A fetch_function. URLs that are not safe are refused with ec::invalid_argument.
[[nodiscard]] result<http_answer> curl_fetch(const http_request& asked);

}  // namespace argosy::access
