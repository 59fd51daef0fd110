// SPDX-License-Identifier: Apache-2.0
#include "bins/argosy-agent/pod_defaults.hpp"

namespace argosy::agent {

namespace {

using nlohmann::json;

void add_tolerations(const settings::pod_default_settings& from, json& spec) {
  for (const auto& each : from.tolerations) {
    const auto item = settings::to_model(each);
    json out{{"operator", item.exists ? "Exists" : "Equal"}};
    if (!item.key.empty()) out["key"] = item.key;
    if (!item.value.empty()) out["value"] = item.value;
    if (!item.effect.empty()) out["effect"] = item.effect;
    spec["tolerations"].push_back(std::move(out));
  }
}

void add_security(const settings::pod_default_settings& from, json& spec) {
  auto context = json::object();
  if (from.run_as_user) context["runAsUser"] = *from.run_as_user;
  if (from.run_as_group) context["runAsGroup"] = *from.run_as_group;
  if (from.fs_group) context["fsGroup"] = *from.fs_group;
  if (!from.fs_group_change_policy.empty())
    context["fsGroupChangePolicy"] = from.fs_group_change_policy;
  if (!from.supplemental_groups.empty()) context["supplementalGroups"] = from.supplemental_groups;
  if (from.run_as_non_root) context["runAsNonRoot"] = *from.run_as_non_root;
  if (const auto slash = from.seccomp_profile.find('/'); slash != std::string::npos)
    context["seccompProfile"] = {{"type", from.seccomp_profile.substr(0, slash)},
                                 {"localhostProfile", from.seccomp_profile.substr(slash + 1)}};
  else if (!from.seccomp_profile.empty())
    context["seccompProfile"] = {{"type", from.seccomp_profile}};
  if (!context.empty()) spec["securityContext"] = std::move(context);
}

void add_dns(const settings::pod_default_settings& from, json& spec) {
  if (!from.dns_policy.empty()) spec["dnsPolicy"] = from.dns_policy;
  if (!from.nameservers.empty()) spec["dnsConfig"]["nameservers"] = from.nameservers;
  if (!from.searches.empty()) spec["dnsConfig"]["searches"] = from.searches;
  for (const auto& [name, value] : from.dns_options) {
    json option{{"name", name}};
    if (!value.empty()) option["value"] = value;
    spec["dnsConfig"]["options"].push_back(std::move(option));
  }
}

}  // namespace

backends::pod_defaults defaults_of(const settings::pod_default_settings& from) {
  auto spec = json::object();
  for (const auto& each : from.image_pull_secrets)
    spec["imagePullSecrets"].push_back({{"name", each}});
  if (!from.runtime_class.empty()) spec["runtimeClassName"] = from.runtime_class;
  add_security(from, spec);
  add_tolerations(from, spec);
  add_dns(from, spec);
  auto metadata = json::object();
  for (const auto& [name, value] : from.labels) metadata["labels"][name] = value;
  for (const auto& [name, value] : from.annotations) metadata["annotations"][name] = value;
  return {from.queues, {{"metadata", std::move(metadata)}, {"spec", std::move(spec)}}};
}

}  // namespace argosy::agent
