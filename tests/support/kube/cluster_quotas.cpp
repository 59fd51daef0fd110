// SPDX-License-Identifier: Apache-2.0
#include "tests/support/kube/cluster_quotas.hpp"

#include <utility>

#include "tests/support/kube/pod_amounts.hpp"

namespace argosy::testing {

namespace {

using nlohmann::json;

/// What a quota counts of a pod.
std::int64_t amount_in(const json& pod, const std::string& resource) {
  if (resource == "pods" || resource == "count/pods") return 1;
  const auto dot = resource.find('.');
  if (dot == std::string::npos) return pod_amount(pod, "requests", resource);
  return pod_amount(pod, resource.substr(0, dot), resource.substr(dot + 1));
}

std::string base_of(const std::string& resource) {
  const auto dot = resource.find('.');
  return dot == std::string::npos ? resource : resource.substr(dot + 1);
}

void add(std::string& to, const std::string& resource, std::int64_t amount) {
  to += (to.empty() ? "" : ",") + resource + "=" + amount_text(base_of(resource), amount);
}

}  // namespace

void cluster_quotas::set(kube_quota quota) {
  json status{{"hard", quota.hard}, {"used", json::object()}};
  for (const auto& [resource, hard] : quota.hard)
    status["used"][resource] = amount_text(base_of(resource), used(quota, resource));
  objects_.put("resourcequotas",
               {{"metadata", {{"name", quota.name}, {"namespace", quota.name_space}}},
                {"spec", {{"hard", quota.hard}}},
                {"status", status}});
  const object_store::key at{quota.name_space, quota.name};
  quotas_[at] = std::move(quota);
}

void cluster_quotas::remove(const std::string& name_space, const std::string& name) {
  quotas_.erase({name_space, name});
  objects_.erase("resourcequotas", {name_space, name});
}

std::int64_t cluster_quotas::used(const kube_quota& quota, const std::string& resource) {
  const auto others = quota.others.find(resource);
  auto out = others == quota.others.end() ? 0 : amount_of(base_of(resource), others->second);
  for (const auto& [at, pod] : objects_.all("pods"))
    if (at.first == quota.name_space && !has_ended(pod)) out += amount_in(pod, resource);
  return out;
}

std::optional<kube_answer> cluster_quotas::judge(const json& pod) {
  const auto name_space = pod["metadata"].value("namespace", std::string{});
  for (const auto& [at, quota] : quotas_) {
    if (at.first != name_space) continue;
    std::string requested;
    std::string is_used;
    std::string limited;
    for (const auto& [resource, hard] : quota.hard) {
      const auto wanted = amount_in(pod, resource);
      const auto has = used(quota, resource);
      const auto limit = amount_of(base_of(resource), hard);
      if (has + wanted <= limit) continue;
      add(requested, resource, wanted);
      add(is_used, resource, has);
      add(limited, resource, limit);
    }
    if (requested.empty()) continue;
    return problem(403, "Forbidden",
                   "pods \"" + pod["metadata"].value("name", std::string{}) +
                       "\" is forbidden: exceeded quota: " + quota.name + ", requested: " +
                       requested + ", used: " + is_used + ", limited: " + limited);
  }
  return std::nullopt;
}

}  // namespace argosy::testing
