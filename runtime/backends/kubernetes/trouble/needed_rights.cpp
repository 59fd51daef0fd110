// SPDX-License-Identifier: Apache-2.0
#include "runtime/backends/kubernetes/trouble/needed_rights.hpp"

#include "runtime/backends/kubernetes/object.hpp"

namespace argosy::backends {

namespace {

using object::json;

std::string place_of(const needed_right& right) {
  if (right.resource == "nodes") return "nodes";
  return right.resource + (right.name_space.empty() ? " in all namespaces"
                                                    : " in namespace '" + right.name_space + "'");
}

}  // namespace

std::vector<needed_right> needed_rights(const std::vector<std::string>& namespaces,
                                        bool count_other_pods, bool owners_make_pods) {
  std::vector<needed_right> out{{"list", "nodes"}, {"watch", "nodes"}};
  const bool sees_all = namespaces == std::vector{std::string{}};
  if (count_other_pods && !sees_all)
    for (const auto* verb : {"list", "watch"}) out.push_back({verb, "pods"});
  for (const auto& each : namespaces) {
    for (const auto* verb : {"get", "list", "watch", "delete"}) out.push_back({verb, "pods", each});
    if (!owners_make_pods) out.push_back({"create", "pods", each});
  }
  return out;
}

kube::request question_of(const needed_right& right) {
  json attributes{{"verb", right.verb}, {"resource", right.resource}};
  if (!right.name_space.empty()) attributes["namespace"] = right.name_space;
  kube::request out;
  out.verb = "POST";
  out.path = "/apis/authorization.k8s.io/v1/selfsubjectaccessreviews";
  out.body = json{{"apiVersion", "authorization.k8s.io/v1"},
                  {"kind", "SelfSubjectAccessReview"},
                  {"spec", {{"resourceAttributes", std::move(attributes)}}}}
                 .dump();
  return out;
}

bool says_missing(const result<kube::answer>& answer) {
  if (!answer || !answer->ok()) return false;
  const auto review = json::parse(answer->body, nullptr, false);
  const auto& allowed = object::part(review, "status", "allowed");
  return allowed.is_boolean() && !allowed.get<bool>();
}

std::string to_text(const std::vector<needed_right>& rights) {
  constexpr std::size_t places_max = 8;
  std::string out;
  std::size_t places = 0;
  for (std::size_t i = 0; i < rights.size(); ++places) {
    auto verbs = rights[i].verb;
    const auto place = place_of(rights[i]);
    for (++i; i < rights.size() && place_of(rights[i]) == place; ++i) {
      const bool last = i + 1 == rights.size() || place_of(rights[i + 1]) != place;
      verbs += (last ? " and " : ", ") + rights[i].verb;
    }
    if (places < places_max) out += (out.empty() ? "" : "; ") + verbs + " " + place;
  }
  if (places > places_max)
    out += "; and in " + std::to_string(places - places_max) + " more places";
  return out;
}

}  // namespace argosy::backends
