// SPDX-License-Identifier: Apache-2.0
// The bytes of a request, which the caller may have packed.
#pragma once

#include <grpcpp/support/byte_buffer.h>
#include <grpcpp/support/status.h>

#include <cstddef>
#include <string>

namespace argosy::rpc {

/// Sets `out` to the message, unpacked if it is packed with gzip. The library would unpack it
/// before it looks at the size, so that 4 MiB could become gigabytes; the server has it leave
/// messages as they are. A message that is not packed never begins as gzip does, since no field of
/// protobuf does. The status is RESOURCE_EXHAUSTED, as of the library, if there are more than
/// `size_max` bytes, and INVALID_ARGUMENT if what is packed is damaged.
[[nodiscard]] ::grpc::Status read_request(const ::grpc::ByteBuffer& from, std::size_t size_max,
                                          std::string& out);

}  // namespace argosy::rpc
