// SPDX-License-Identifier: Apache-2.0
#include "runtime/rpc/status.hpp"

namespace argosy::rpc {

namespace {

/// Clients of the API that exists already cut longer messages off, and HTTP/2 limits a trailer.
constexpr std::size_t message_max = 2'000;

::grpc::StatusCode code_of(ec code) {
  using enum ::grpc::StatusCode;
  switch (code) {
    case ec::none:
      return OK;
    case ec::invalid_argument:
    // No repetition makes a request smaller, so that this must not look like RESOURCE_EXHAUSTED.
    case ec::too_large:
      return INVALID_ARGUMENT;
    case ec::not_found:
      return NOT_FOUND;
    case ec::already_exists:
      return ALREADY_EXISTS;
    case ec::conflict:
      return FAILED_PRECONDITION;
    case ec::denied:
      return PERMISSION_DENIED;
    case ec::unreachable:
    case ec::no_responders:
    case ec::unavailable:
    case ec::fenced:
      return UNAVAILABLE;
    case ec::timeout:
      return DEADLINE_EXCEEDED;
    case ec::overloaded:
    case ec::out_of_space:
      return RESOURCE_EXHAUSTED;
    case ec::cancelled:
      return CANCELLED;
    case ec::corrupt:
      return DATA_LOSS;
    case ec::internal:
      return INTERNAL;
  }
  return UNKNOWN;
}

/// Cuts at a boundary of UTF-8 characters, since gRPC's clients refuse half ones.
std::string cut(const std::string& text) {
  if (text.size() <= message_max) return text;
  auto end = message_max;
  while (end > 0 && (static_cast<unsigned char>(text[end]) & 0xC0u) == 0x80u) --end;
  return text.substr(0, end);
}

}  // namespace

::grpc::Status to_status(const error& why) {
  const auto code = code_of(why.code);
  return code == ::grpc::StatusCode::OK ? ::grpc::Status::OK
                                        : ::grpc::Status{code, cut(why.detail)};
}

}  // namespace argosy::rpc
