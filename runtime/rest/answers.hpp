// SPDX-License-Identifier: Apache-2.0
// Small answers over HTTP.
#pragma once

#include <httplib.h>

#include <string>

#include "runtime/rest/replies.hpp"

namespace argosy::rest {

inline constexpr const char* json_type = "application/json";

inline void answer(httplib::Response& to, const reply& why) {
  to.status = why.http_status;
  to.set_content(error_body(why), json_type);
}

}  // namespace argosy::rest
