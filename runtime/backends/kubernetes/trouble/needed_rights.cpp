// SPDX-License-Identifier: Apache-2.0
#include "runtime/backends/kubernetes/trouble/needed_rights.hpp"

#include <algorithm>
#include <array>
#include <functional>
#include <utility>

#include "runtime/backends/kubernetes/object.hpp"
#include "runtime/base/text.hpp"
#include "runtime/kube/read_json.hpp"
#include "runtime/model/namespace_part.hpp"

namespace argosy::backends {

namespace {

using object::json;

constexpr const char* ingress_group = ".networking.k8s.io";

/// An agent that lacks a right to the resource fails in this way.
struct lacking {
  const char* resource;
  const char* what;
};
constexpr std::array lacks{
    lacking{"pods", "pods there are not begun, told of or ended"},
    lacking{"pods/log", "no output of jobs is read or kept"},
    lacking{"events", "nobody is told why pods wait"},
    lacking{"persistentvolume", "jobs are tried on nodes that do not reach their volumes"},
    lacking{"namespaces", "a cluster that is made anew under its address goes unseen"},
    lacking{"services", "services of jobs are refused or stay behind"},
    lacking{"ingresses", "ingresses of jobs are refused or stay behind"},
};

/// The last one of which the resource has the beginning, "pods/log" rather than "pods".
const char* what_fails(const needed_right& right) {
  const char* out = "";
  for (const auto& each : lacks)
    if (right.resource.starts_with(each.resource)) out = each.what;
  return out;
}

std::string place_of(const needed_right& right) {
  if (!right.name.empty()) return right.resource + " '" + right.name + "'";
  if (right.resource == "nodes" || right.resource == "persistentvolumes") return right.resource;
  return right.resource + (right.name_space.empty() ? " in all namespaces"
                                                    : " in namespace '" + right.name_space + "'");
}

/// The group of the resource, and "pods/log".
std::pair<std::string, std::string> parts_of(const needed_right& right) {
  const auto dot = right.resource.find('.');
  if (dot == std::string::npos) return {{}, right.resource};
  return {right.resource.substr(dot + 1), right.resource.substr(0, dot)};
}

/// `kind` is also the last part of the path, but for capitals and an s.
kube::request review(const std::string& kind, json spec) {
  kube::request out;
  out.verb = "POST";
  out.path = "/apis/authorization.k8s.io/v1/" + lower_case(kind) + "s";
  out.body =
      json{{"apiVersion", "authorization.k8s.io/v1"}, {"kind", kind}, {"spec", std::move(spec)}}
          .dump();
  return out;
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

std::vector<needed_right> useful_rights(const std::vector<std::string>& namespaces,
                                        bool follow_events) {
  std::vector<needed_right> out{{"get", "namespaces", {}, "kube-system"},
                                {"get", "persistentvolumes"}};
  for (const auto& each : namespaces) {
    out.push_back({"get", "pods/log", each});
    out.push_back({"get", "persistentvolumeclaims", each});
    if (!follow_events) continue;
    for (const auto* verb : {"list", "watch"}) out.push_back({verb, "events", each});
  }
  return out;
}

std::vector<needed_right> attached_rights(const std::string& attached,
                                          const std::vector<std::string>& namespaces,
                                          bool owners_make_them) {
  const auto resource = attached == model::attached_ingresses ? attached + ingress_group : attached;
  std::vector<needed_right> out;
  for (const auto& each : namespaces) {
    for (const auto* verb : {"get", "list", "watch", "delete"})
      out.push_back({verb, resource, each});
    if (!owners_make_them) out.push_back({"create", resource, each});
  }
  return out;
}

kube::request question_of(const needed_right& right) {
  const auto [group, resource] = parts_of(right);
  const auto part = resource.find('/');
  json attributes{{"verb", right.verb}, {"resource", resource.substr(0, part)}};
  if (!group.empty()) attributes["group"] = group;
  if (part != std::string::npos) attributes["subresource"] = resource.substr(part + 1);
  if (!right.name.empty()) attributes["name"] = right.name;
  if (!right.name_space.empty()) attributes["namespace"] = right.name_space;
  return review("SelfSubjectAccessReview", {{"resourceAttributes", std::move(attributes)}});
}

kube::request rules_question(const std::string& name_space) {
  return review("SelfSubjectRulesReview", {{"namespace", name_space}});
}

std::optional<rules_of_agent> read_rules(const result<kube::answer>& answer) {
  if (!answer || !answer->ok()) return std::nullopt;
  const auto body = kube::read_json(answer->body);
  const auto& status = object::part(body, "status");
  if (!object::part(status, "resourceRules").is_array()) return std::nullopt;
  rules_of_agent out{object::part(status, "resourceRules")};
  // An authorizer that does not tell its rules may allow more than those of the others do.
  out.are_whole =
      !object::flag(status, "incomplete") && object::text(status, "evaluationError").empty();
  for (const auto& each : out.rules) out.print += std::hash<std::string>{}(each.dump());
  return out;
}

bool allow(const rules_of_agent& rules, const needed_right& right) {
  const auto [group, resource] = parts_of(right);
  const auto part = resource.find('/');
  const auto has = [](const json& list, const std::string& what) {
    return std::ranges::find(list, json(what)) != list.end();
  };
  return std::ranges::any_of(rules.rules, [&](const json& rule) {
    const auto names = [&](const char* member, const std::string& what) {
      const auto& list = object::part(rule, member);
      return has(list, what) || has(list, "*");
    };
    const auto& only = object::part(rule, "resourceNames");
    const bool of_all_parts = part != std::string::npos &&
                              has(object::part(rule, "resources"), "*" + resource.substr(part));
    return names("verbs", right.verb) && names("apiGroups", group) &&
           (names("resources", resource) || of_all_parts) &&
           (only.empty() || (!right.name.empty() && has(only, right.name)));
  });
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

std::string lack_of(const std::vector<needed_right>& rights) {
  if (rights.empty()) return {};
  std::vector<std::string> failing;
  for (const auto& each : rights)
    if (std::string what = what_fails(each); std::ranges::find(failing, what) == failing.end())
      failing.push_back(std::move(what));
  auto out = "denies the agent rights of which it makes use: " + to_text(rights) + ", so that ";
  for (std::size_t i = 0; i < failing.size(); ++i) out += (i == 0 ? "" : ", and ") + failing[i];
  return out + "; give them to its user, as the table of rights in config/KUBERNETES.md has them";
}

}  // namespace argosy::backends
