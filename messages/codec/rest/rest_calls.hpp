// SPDX-License-Identifier: Apache-2.0
// This file declares what a request over REST asks of the API, and how its answers are written.
#pragma once

#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "messages/codec/rest/unknown_fields.hpp"
#include "runtime/base/result.hpp"

namespace google::protobuf {
class MethodDescriptor;
}

namespace argosy::codec {

/// A route. {name} in the pattern takes one part of the path as the field of this name.
struct rest_route {
  std::string verb;
  std::string pattern;
  const char* method;  ///< As descriptors name it: "api.Submit.SubmitJobs".
  const google::protobuf::MethodDescriptor* descriptor;  ///< Never null.
};

/// The routes whose methods the API knows.
[[nodiscard]] const std::vector<rest_route>& rest_routes();

struct rest_match {
  const rest_route* route = nullptr;  ///< Null if there is none.
  bool other_verb = false;            ///< The path is known, for another verb.
  std::vector<std::pair<std::string, std::string>> fields;
};

/// Finds the route of a path as it was sent. Its escapes are decoded part by part, so that a slash
/// may stand in a name as %2F.
[[nodiscard]] rest_match match_route(std::string_view verb, std::string_view path);

/// The method as gRPC names it, "/api.Submit/SubmitJobs".
[[nodiscard]] std::string grpc_path(const rest_route& route);

/// Makes the bytes of the request: from the body, for GET and DELETE from the query, and from the
/// path, which counts more. Fails with ec::invalid_argument, also for a query or a body where the
/// other one is read, unless unknown fields are passed.
[[nodiscard]] result<std::string> rest_request(
    const rest_match& match, std::string_view body,
    const std::vector<std::pair<std::string, std::string>>& query,
    unknown_fields unknown = unknown_fields::refused);

/// Writes the bytes of an answer as JSON. Fails with ec::internal if they are none.
[[nodiscard]] result<std::string> rest_answer(const rest_route& route, std::string_view bytes);

/// The description of all routes in the form of Swagger 2.0.
[[nodiscard]] std::string swagger_json();

}  // namespace argosy::codec
