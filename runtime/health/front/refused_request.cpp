// SPDX-License-Identifier: Apache-2.0
#include "runtime/health/front/refused_request.hpp"

#include <string_view>

#include "runtime/border/status_code.hpp"

namespace argosy::health {

namespace {

status_code code_of(int status) {
  using enum status_code;
  if (status == 403) return permission_denied;
  if (status == 503) return resource_exhausted;
  return status > 500 ? unimplemented : invalid_argument;
}

std::string_view reason_of(int status) {
  switch (status) {
    case 403:
      return "Forbidden";
    case 413:
      return "Content Too Large";
    case 414:
      return "URI Too Long";
    case 417:
      return "Expectation Failed";
    case 431:
      return "Request Header Fields Too Large";
    case 501:
      return "Not Implemented";
    case 503:
      return "Service Unavailable";
    case 505:
      return "HTTP Version Not Supported";
    default:
      return "Bad Request";
  }
}

}  // namespace

std::string refused_request(const head_refusal& why) {
  // The sentences are those of this program, and need no escapes.
  const auto body = R"({"error":")" + why.why + R"(","code":)" +
                    std::to_string(static_cast<int>(code_of(why.status))) + R"(,"message":")" +
                    why.why + "\"}\n";
  return "HTTP/1.1 " + std::to_string(why.status) + ' ' + std::string{reason_of(why.status)} +
         "\r\nContent-Type: application/json\r\nConnection: close\r\nContent-Length: " +
         std::to_string(body.size()) + "\r\n\r\n" + body;
}

}  // namespace argosy::health
