// SPDX-License-Identifier: Apache-2.0
#include "runtime/rpc/status.hpp"

namespace argosy::rpc {

namespace {

/// Clients of the API that exists already cut longer messages off, and HTTP/2 limits a trailer.
constexpr std::size_t message_max = 2'000;

status_code code_of(ec code) {
  using enum status_code;
  switch (code) {
    case ec::none:
      return ok;
    case ec::invalid_argument:
    // No repetition makes a request smaller, so that this must not look like RESOURCE_EXHAUSTED.
    case ec::too_large:
      return invalid_argument;
    case ec::not_found:
      return not_found;
    case ec::already_exists:
      return already_exists;
    case ec::conflict:
      return failed_precondition;
    case ec::denied:
      return permission_denied;
    case ec::unreachable:
    case ec::no_responders:
    case ec::unavailable:
    case ec::fenced:
      return unavailable;
    case ec::timeout:
      return deadline_exceeded;
    case ec::overloaded:
    case ec::out_of_space:
      return resource_exhausted;
    case ec::cancelled:
      return cancelled;
    case ec::corrupt:
      return data_loss;
    case ec::internal:
      return internal;
  }
  return unknown;
}

/// Cuts at a boundary of UTF-8 characters, since gRPC's clients refuse half ones.
std::string cut(const std::string& text) {
  if (text.size() <= message_max) return text;
  auto end = message_max;
  while (end > 0 && (static_cast<unsigned char>(text[end]) & 0xC0u) == 0x80u) --end;
  return text.substr(0, end);
}

}  // namespace

status to_status(const error& why) {
  const auto code = code_of(why.code);
  return code == status_code::ok ? status{} : status{code, cut(why.detail)};
}

}  // namespace argosy::rpc
