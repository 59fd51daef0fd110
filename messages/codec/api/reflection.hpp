// SPDX-License-Identifier: Apache-2.0
// This file declares what a client hears that asks which services and messages there are. Tools
// such as grpcurl call any method without the .proto files by it.
#pragma once

#include <string>
#include <string_view>

namespace argosy::codec {

/// Answers one question; both are messages of grpc.reflection.v1 as bytes. It tells of the API and
/// of what the API's messages are made of, and of nothing else that the program knows. A question
/// that cannot be answered, or is none, is answered with an error response.
[[nodiscard]] std::string answer_reflection(std::string_view question);

}  // namespace argosy::codec
