// SPDX-License-Identifier: Apache-2.0
#include "runtime/settings/agent/pod_default_settings.hpp"

#include <algorithm>
#include <array>
#include <string>
#include <vector>

#include "runtime/model/label_syntax.hpp"

namespace argosy::settings {

namespace {

constexpr std::array<std::string_view, 5> dns_policies{
    "", "ClusterFirst", "ClusterFirstWithHostNet", "Default", "None"};

complaint check_labels(const label_list& items) {
  if (auto wrong = check_annotation_names(items)) return wrong;
  for (const auto& [name, value] : items)
    if (!model::is_label_value(value))
      return "has the value '" + value + "' for " + name +
             ", which Kubernetes takes as no label; " + std::string{model::label_value_words};
  return std::nullopt;
}

complaint check_policy(const std::string& name) {
  if (std::ranges::find(dns_policies, name) != dns_policies.end()) return std::nullopt;
  return "must be ClusterFirst, ClusterFirstWithHostNet, Default or None";
}

complaint check_change_policy(const std::string& name) {
  if (name.empty() || name == "Always" || name == "OnRootMismatch") return std::nullopt;
  return "must be Always or OnRootMismatch";
}

complaint check_profile(const std::string& name) {
  constexpr std::string_view of_node = "Localhost/";
  if (name.empty() || name == "RuntimeDefault" || name == "Unconfined" ||
      (name.starts_with(of_node) && name.size() > of_node.size()))
    return std::nullopt;
  return "must be RuntimeDefault, Unconfined or Localhost/FILE";
}

complaint check_objects(const std::vector<std::string>& names) {
  for (const auto& name : names) {
    if (name.empty()) return "must not have an empty name";
    if (auto wrong = check_object_name(name)) return wrong;
  }
  return std::nullopt;
}

complaint check_id(const std::optional<std::int64_t>& id) {
  constexpr std::int64_t id_max = 2'147'483'647;
  if (id && (*id < 0 || *id > id_max)) return "must be from 0 to 2147483647";
  return std::nullopt;
}

}  // namespace

void describe(field_table& table, pod_default_settings& item) {
  const rule<std::optional<std::int64_t>> is_id{check_id};
  table.value("queues", item.queues, "");
  table.value<label_list>("labels", item.labels, "", check_labels);
  table.value<label_list>("annotations", item.annotations, "", check_annotation_names);
  table.value<std::vector<std::string>>("imagePullSecrets", item.image_pull_secrets, "",
                                        check_objects);
  table.value<std::string>("runtimeClass", item.runtime_class, "", check_object_name);
  table.value("tolerations", item.tolerations, "", tolerations());
  table.value("runAsUser", item.run_as_user, "", is_id);
  table.value("runAsGroup", item.run_as_group, "", is_id);
  table.value("fsGroup", item.fs_group, "", is_id);
  table.value<std::string>("fsGroupChangePolicy", item.fs_group_change_policy, "",
                           check_change_policy);
  table.value("supplementalGroups", item.supplemental_groups, "");
  table.value("runAsNonRoot", item.run_as_non_root, "");
  table.value<std::string>("seccompProfile", item.seccomp_profile, "", check_profile);
  table.value<std::string>("dnsPolicy", item.dns_policy, "", check_policy);
  table.value("nameservers", item.nameservers, "");
  table.value("searches", item.searches, "");
  table.value("dnsOptions", item.dns_options, "");
}

void describe_pod_defaults(field_table& table, std::vector<pod_default_settings>& items) {
  table.value(
      "kubernetes.podDefaults", items,
      "What pods get that say nothing of it. The first entry counts that names the job's queue or "
      "no queues, with * for any characters: [{queues: [\"ann-*\"], labels: {team: ann}, "
      "annotations: {cluster-autoscaler.kubernetes.io/safe-to-evict: \"false\"}, "
      "imagePullSecrets: [registry], runtimeClass: gvisor, tolerations: [{key: batch, operator: "
      "Exists}], runAsUser: 1000, runAsGroup: 1000, fsGroup: 1000, fsGroupChangePolicy: "
      "OnRootMismatch, supplementalGroups: [2000], runAsNonRoot: true, seccompProfile: "
      "Localhost/a.json, dnsPolicy: None, nameservers: [10.0.0.10], searches: [example.com], "
      "dnsOptions: {ndots: \"2\"}}]. Secrets, groups and tolerations are added to those of the "
      "pod; rounds know nothing of these tolerations, so set api.defaultJobTolerations of argosyd "
      "too. A pod that says anything of DNS gets none of this. podPolicies judge what jobs say, "
      "and not these. A pod that the cluster refuses for something of this fails no job: its "
      "namespace is closed until it is mended.");
}

void check_pod_defaults(const std::vector<pod_default_settings>& items, problem_list& problems) {
  for (std::size_t i = 0; i < items.size(); ++i) {
    const auto place = "kubernetes.podDefaults[" + std::to_string(i) + "] ";
    const auto& each = items[i];
    if (each.queues.empty() && i + 1 < items.size())
      problems.push_back(place +
                         "names no queues, so that those behind it would never count; move "
                         "it to the end");
    if (each.run_as_non_root.value_or(false) && each.run_as_user.value_or(1) == 0)
      problems.push_back(place + "has runAsNonRoot with runAsUser 0, which is root");
    if (each.dns_policy == "None" && each.nameservers.empty())
      problems.push_back(place + "has dnsPolicy None, for which nameservers have to be named");
  }
}

}  // namespace argosy::settings
