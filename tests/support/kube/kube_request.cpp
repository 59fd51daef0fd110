// SPDX-License-Identifier: Apache-2.0
#include "tests/support/kube/kube_request.hpp"

#include <algorithm>

namespace argosy::testing {

kube_place place_of(const std::string& path) {
  std::vector<std::string> words;
  for (std::size_t at = 0; at < path.size();) {
    const auto end = std::min(path.find('/', at), path.size());
    if (end > at) words.push_back(path.substr(at, end - at));
    at = end + 1;
  }
  // "api/v1" or "apis/GROUP/VERSION"
  const std::size_t skip = !words.empty() && words.front() == "api" ? 2 : 3;
  words.erase(words.begin(), words.begin() + static_cast<long>(std::min(skip, words.size())));
  kube_place out;
  if (words.size() > 2 && words.front() == "namespaces") {
    out.name_space = words[1];
    words.erase(words.begin(), words.begin() + 2);
  }
  if (!words.empty()) out.kind = words[0];
  if (words.size() > 1) out.name = words[1];
  if (words.size() > 2) out.part = words[2];
  return out;
}

std::string query_of(const kube_request& what, const std::string& name) {
  const auto at = what.query.find(name);
  return at == what.query.end() ? std::string{} : at->second;
}

bool is_watch(const kube_request& what) {
  const auto wanted = query_of(what, "watch");
  return wanted == "1" || wanted == "true";
}

std::string verb_of(const kube_request& what) {
  return is_watch(what) ? "WATCH" : what.verb;
}

bool fits(const kube_request& what, const std::string& verb, const std::string& part) {
  return (verb.empty() || verb_of(what) == verb) && what.path.find(part) != std::string::npos;
}

kube_answer problem(int status, const std::string& reason, const std::string& message) {
  return {status, nlohmann::json{{"kind", "Status"},
                                 {"apiVersion", "v1"},
                                 {"status", "Failure"},
                                 {"reason", reason},
                                 {"message", message},
                                 {"code", status}}
                      .dump()};
}

}  // namespace argosy::testing
