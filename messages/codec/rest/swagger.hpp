// SPDX-License-Identifier: Apache-2.0
// This file declares the description of the REST API for programs, in the form of Swagger 2.0.
#pragma once

#include <string>
#include <vector>

namespace google::protobuf {
class MethodDescriptor;
}

namespace argosy::codec {

/// A route of the API as its description needs it.
struct described_route {
  std::string verb;                 ///< In small letters: "get".
  std::string pattern;              ///< With its fields in braces: "/v1/queue/{name}".
  std::vector<std::string> fields;  ///< The names in the pattern, in its order.
  const google::protobuf::MethodDescriptor* method = nullptr;  ///< Never null.
};

/// Describes routes with their parameters, and the messages that they take and give as objects of
/// JSON in the form of go_json.hpp.
[[nodiscard]] std::string swagger_json(const std::vector<described_route>& routes);

}  // namespace argosy::codec
