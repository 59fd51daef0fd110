// SPDX-License-Identifier: Apache-2.0
#include "runtime/kube/answers.hpp"

#include "runtime/kube/json_field.hpp"

namespace argosy::kube {

namespace {

constexpr int http_unauthorized = 401;
constexpr int http_request_timeout = 408;
constexpr int http_too_many = 429;
constexpr int http_server_error = 500;

}  // namespace

std::string server_message(const answer& from) {
  auto text = text_field(nlohmann::json::parse(from.body, nullptr, false), "message");
  if (text.empty()) text = "the API server answered with status " + std::to_string(from.status);
  return text;
}

bool is_passing(const answer& from) {
  return from.status >= http_server_error || from.status == http_too_many ||
         from.status == http_request_timeout || from.status == http_unauthorized;
}

bool may_have_worked(const result<answer>& from) {
  if (!from) {
    const auto code = from.error().code;
    return code != ec::denied && code != ec::unreachable && code != ec::overloaded &&
           code != ec::invalid_argument;
  }
  return from->status >= http_server_error || from->status == http_request_timeout;
}

}  // namespace argosy::kube
