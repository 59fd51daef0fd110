// SPDX-License-Identifier: Apache-2.0
// The routes of Lookout's REST API as calls of our own: what a request asks, and how the answer is
// written. The fields are Lookout's, so that its page and scripts find what they expect.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <string_view>

#include "messages/codec/rest/unknown_fields.hpp"
#include "runtime/base/result.hpp"

namespace argosy::codec {

struct lookout_call {
  std::string method;  ///< As gRPC names it, "/argosy.v1.Query/FindJobs".
  /// Makes the bytes of the request from the body. Fails with ec::invalid_argument.
  std::function<result<std::string>(std::string_view)> request;
  /// Writes the bytes of the answer as JSON, after request() was called. Fails with ec::not_found
  /// when it has nothing of what was asked for.
  std::function<result<std::string>(std::string_view)> answer;
};

struct lookout_match {
  std::optional<lookout_call> call;  ///< Nothing if there is no such route.
  bool other_verb = false;           ///< The path is known, for another verb.
};

/// Finds the route of a path below /api/v1/.
[[nodiscard]] lookout_match match_lookout(std::string_view verb, std::string_view path,
                                          unknown_fields unknown = unknown_fields::refused);

}  // namespace argosy::codec
