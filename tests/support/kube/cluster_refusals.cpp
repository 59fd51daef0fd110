// SPDX-License-Identifier: Apache-2.0
#include "tests/support/kube/cluster_refusals.hpp"

#include <algorithm>
#include <utility>

namespace argosy::testing {

namespace {

/// The right that a request needs.
std::string right_for(const kube_request& what, const kube_place& at) {
  const auto verb = verb_of(what);
  const auto* const wanted = verb == "POST"     ? "create"
                             : verb == "DELETE" ? "delete"
                             : verb == "WATCH"  ? "watch"
                             : verb == "PUT"    ? "update"
                             : verb == "PATCH"  ? "patch"
                             : at.name.empty()  ? "list"
                                                : "get";
  return wanted + (" " + at.kind) + (at.part.empty() ? "" : "/" + at.part);
}

bool is_in(const kube_refusal& one, const std::string& name_space) {
  return one.name_space.empty() || one.name_space == name_space;
}

std::string group_of(const std::string& resource) {
  return resource == "ingresses" ? "networking.k8s.io" : "";
}

}  // namespace

kube_refusal no_right(const std::string& verb, const std::string& resource,
                      const std::string& name_space) {
  return {
      {},
      {},
      403,
      resource + " is forbidden: User \"system:serviceaccount:argosy:agent\" cannot " + verb +
          " resource \"" + resource + "\" in API group \"" + group_of(resource) + "\" " +
          (name_space.empty() ? "at the cluster scope" : "in the namespace \"" + name_space + "\""),
      0,
      "Forbidden",
      {},
      verb + " " + resource,
      name_space};
}

kube_refusal no_namespace(const std::string& name_space) {
  return {"POST", "/namespaces/" + name_space + "/",
          404,    "namespaces \"" + name_space + "\" not found",
          0,      "NotFound"};
}

kube_refusal ending_namespace(const std::string& name_space) {
  return {"POST",
          "/namespaces/" + name_space + "/",
          403,
          "pods \"p\" is forbidden: unable to create new content in namespace " + name_space +
              " because it is being terminated",
          0,
          "Forbidden"};
}

kube_refusal webhook_denies(const std::string& webhook, const std::string& words) {
  return {"POST", "/pods",
          403,    "admission webhook \"" + webhook + "\" denied the request: " + words,
          0,      "Forbidden"};
}

kube_refusal too_many(const std::string& verb, std::chrono::seconds retry_after) {
  return {verb,       "", 429, "too many requests, please try again later", 0, "TooManyRequests",
          retry_after};
}

kube_refusal out_of_order(const std::string& verb, int status) {
  return {verb,   "",
          status, "the server is currently unable to handle the request",
          0,      status == 500 ? "InternalError" : "ServiceUnavailable"};
}

std::uint64_t cluster_refusals::add(kube_refusal what) {
  const std::lock_guard guard{mutex_};
  refusals_.emplace(++last_, std::move(what));
  return last_;
}

void cluster_refusals::lift(std::uint64_t refusal) {
  const std::lock_guard guard{mutex_};
  refusals_.erase(refusal);
}

void cluster_refusals::lift() {
  const std::lock_guard guard{mutex_};
  refusals_.clear();
}

std::optional<kube_answer> cluster_refusals::judge(const kube_request& what) {
  const std::lock_guard guard{mutex_};
  const auto place = place_of(what.path);
  const auto right = right_for(what, place);
  for (auto at = refusals_.begin(); at != refusals_.end(); ++at) {
    auto& one = at->second;
    const bool hit = one.right.empty() ? fits(what, one.verb, one.part)
                                       : one.right == right && is_in(one, place.name_space);
    if (!hit) continue;
    auto answer = problem(one.status, one.reason, one.message);
    answer.retry_after = one.retry_after;
    if (one.times > 0 && --one.times == 0) refusals_.erase(at);
    return answer;
  }
  return std::nullopt;
}

kube_answer cluster_refusals::review(const kube_request& what) {
  const auto asked = nlohmann::json::parse(what.body)["spec"]["resourceAttributes"];
  const auto part = asked.value("subresource", "");
  const auto right = asked.value("verb", "") + " " + asked.value("resource", "") +
                     (part.empty() ? "" : "/" + part);
  const auto name_space = asked.value("namespace", "");
  const std::lock_guard guard{mutex_};
  return {201, nlohmann::json{{"status", {{"allowed", !lacks(right, name_space)}}}}.dump()};
}

bool cluster_refusals::lacks(const std::string& right, const std::string& name_space) const {
  return std::ranges::any_of(refusals_, [&](const auto& each) {
    return each.second.right == right && is_in(each.second, name_space);
  });
}

kube_answer cluster_refusals::rules(const kube_request& what) {
  const auto name_space =
      nlohmann::json::parse(what.body)["spec"].value("namespace", std::string{});
  auto rules = nlohmann::json::array();
  const std::lock_guard guard{mutex_};
  for (const std::string resource :
       {"pods", "pods/log", "nodes", "events", "namespaces", "persistentvolumes",
        "persistentvolumeclaims", "services", "ingresses"})
    for (const std::string verb : {"get", "list", "watch", "create", "delete", "impersonate"})
      if (!lacks(verb + " " + resource, name_space))
        rules.push_back(
            {{"verbs", {verb}}, {"apiGroups", {group_of(resource)}}, {"resources", {resource}}});
  return {201, nlohmann::json{{"status",
                               {{"resourceRules", std::move(rules)},
                                {"nonResourceRules", nlohmann::json::array()},
                                {"incomplete", false}}}}
                   .dump()};
}

}  // namespace argosy::testing
