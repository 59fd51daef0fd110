// SPDX-License-Identifier: Apache-2.0
// This file declares the list of the API's methods, as the `service` blocks of the .proto files
// have them.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace google::protobuf {
class MethodDescriptor;
}

namespace argosy::codec {

struct api_method {
  std::string path;  ///< As gRPC names it: "/api.Submit/SubmitJobs".
  std::string name;  ///< As the bus names it: "Submit.SubmitJobs".
  bool streams = false;
};

/// Returns all methods of the packages `api` and `argosy.v1`, of which some may not be served yet.
[[nodiscard]] std::vector<api_method> api_methods();

/// The method that the bus names so, "Submit.SubmitJobs"; null if there is none.
[[nodiscard]] const google::protobuf::MethodDescriptor* descriptor_of(std::string_view name);

/// The names of their services, "api.Submit".
[[nodiscard]] std::vector<std::string> api_services();

}  // namespace argosy::codec
