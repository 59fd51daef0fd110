// SPDX-License-Identifier: Apache-2.0
// A request to the API server of the tests, and its answer. Values.
#pragma once

#include <chrono>
#include <map>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <vector>

namespace argosy::testing {

struct kube_request {
  std::string verb;
  std::string path;  ///< Without the query, decoded.
  std::map<std::string, std::string> query;
  std::string body;
  std::string user;  ///< The header Impersonate-User.
  std::vector<std::string> groups;
};

struct kube_answer {
  int status = 200;
  std::string body;
  std::optional<std::chrono::seconds> retry_after{};  ///< The header Retry-After.
};

/// What a path names: "/api/v1/namespaces/NAME_SPACE/KIND/NAME/PART".
struct kube_place {
  std::string kind;
  std::string name_space;
  std::string name;
  std::string part;  ///< "log"
};

[[nodiscard]] kube_place place_of(const std::string& path);
/// The value in the query; empty if there is none.
[[nodiscard]] std::string query_of(const kube_request& what, const std::string& name);
[[nodiscard]] bool is_watch(const kube_request& what);
/// The verb of HTTP, or "WATCH".
[[nodiscard]] std::string verb_of(const kube_request& what);
/// Whether the verb is this one, and the path has this part; an empty text fits all. "GET" fits no
/// watch.
[[nodiscard]] bool fits(const kube_request& what, const std::string& verb, const std::string& part);

/// An answer of kind Status.
[[nodiscard]] kube_answer problem(int status, const std::string& reason,
                                  const std::string& message);

}  // namespace argosy::testing
