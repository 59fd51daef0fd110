// SPDX-License-Identifier: Apache-2.0
// The bytes of a message, between gRPC's buffers and texts.
#pragma once

#include <grpcpp/support/byte_buffer.h>

#include <string>
#include <vector>

namespace argosy::testing {

/// Returns the bytes of a message, of which gRPC may hold several pieces.
[[nodiscard]] inline std::string to_text(const ::grpc::ByteBuffer& from) {
  std::vector<::grpc::Slice> pieces;
  std::string out;
  if (!from.Dump(&pieces).ok()) return out;
  out.reserve(from.Length());
  for (const auto& piece : pieces)
    out.append(reinterpret_cast<const char*>(piece.begin()), piece.size());
  return out;
}

[[nodiscard]] inline ::grpc::ByteBuffer to_buffer(const std::string& from) {
  const ::grpc::Slice piece{from};
  return {&piece, 1};
}

}  // namespace argosy::testing
