// SPDX-License-Identifier: Apache-2.0
#include "runtime/access/pods/judge_pod.hpp"

#include <algorithm>
#include <array>

#include "runtime/access/pods/annotation_demands.hpp"
#include "runtime/base/check.hpp"
#include "runtime/base/whole_number.hpp"

namespace argosy::access {

namespace {

using nlohmann::json;
using enum pod_control;

/// A row says what a control is about, by which key of a policy it is allowed, and from which level
/// on it is not.
struct control_row {
  pod_control control;
  pod_level level;       ///< Privileged: no level says anything of it.
  std::string_view key;  ///< The list that decides; empty: only the level does.
  std::string_view what;
};
constexpr auto no_level = pod_level::privileged;
constexpr auto baseline = pod_level::baseline;
constexpr auto restricted = pod_level::restricted;
constexpr std::array rows{
    control_row{host_process, baseline, "", "makes it a process of the Windows host"},
    control_row{host_namespace, baseline, "hostNamespaces", "shares a namespace of the node"},
    control_row{privileged, baseline, "", "takes the container's walls away"},
    control_row{capability, baseline, "", "is a capability beyond the usual ones"},
    control_row{host_path, baseline, "hostPaths", "is a path of the node"},
    control_row{host_port, baseline, "hostPorts", "is a port of the node"},
    control_row{probe_host, baseline, "", "is a host that the kubelet would connect to"},
    control_row{app_armor, baseline, "", "is not the runtime's AppArmor profile"},
    control_row{se_linux, baseline, "", "is a choice of SELinux that containers do not have"},
    control_row{proc_mount, baseline, "", "shows more of /proc than containers see"},
    control_row{seccomp, baseline, "", "is not the runtime's seccomp profile"},
    control_row{sysctl, baseline, "", "is no sysctl of the pod alone"},
    control_row{annotation, baseline, "annotations", "is an annotation that reaches past the pod"},
    control_row{volume_type, restricted, "", "is a type of volume that reaches past the cluster"},
    control_row{escalation, restricted, "", "lets processes gain privileges"},
    control_row{root, restricted, "", "lets it run as root"},
    control_row{root_user, restricted, "", "is root"},
    control_row{seccomp_unset, restricted, "", "leaves it without a seccomp profile"},
    control_row{kept_capabilities, restricted, "", "leaves it some of the capabilities"},
    control_row{added_capability, restricted, "", "is a capability other than NET_BIND_SERVICE"},
    control_row{name_space, no_level, "namespaces", "is a namespace"},
    control_row{service_account, no_level, "serviceAccounts", "is a service account"},
    control_row{device, no_level, "devices", "is a device"},
    control_row{csi_driver, no_level, "csiDrivers", "is a driver of volumes"},
    control_row{service, no_level, "services", "is a way to reach the pod"},
    control_row{runtime_class, no_level, "runtimeClasses", "is a runtime class"},
    control_row{priority_class, no_level, "priorityClasses", "is a priority class"},
};

const control_row& row_of(pod_control control) {
  const auto* const row = std::ranges::find(rows, control, &control_row::control);
  ARGOSY_CHECK(row != rows.end());
  return *row;
}

bool is_allowed(const pod_demand& demand, const pod_policy& policy) {
  const auto by_list = [&](const std::vector<std::string>& list, bool otherwise) {
    return list.empty() ? otherwise : fits_any(list, demand.value);
  };
  const bool by_level = policy.level < row_of(demand.control).level;
  switch (demand.control) {
    case host_namespace:
      return by_list(policy.host_namespaces, by_level);
    case host_path:
      return policy.host_paths.empty() ? by_level : holds_path(policy.host_paths, demand.value);
    case host_port:
      return policy.host_ports.empty()
                 ? by_level
                 : holds_port(policy.host_ports,
                              whole_number<std::int64_t>(demand.value).value_or(0));
    case annotation:
      return by_list(policy.annotations, by_level || !is_far_reaching(demand.value));
    case csi_driver:
      return by_list(policy.csi_drivers, true);
    case service:
      return by_list(policy.services, true);
    case name_space:
      return by_list(policy.namespaces, true);
    case service_account:
      return by_list(policy.service_accounts,
                     policy.level == pod_level::privileged || demand.value == "default");
    case device:
      return by_list(policy.devices, true);
    case runtime_class:
      return by_list(policy.runtime_classes, true);
    case priority_class:
      return by_list(policy.priority_classes, true);
    default:
      return by_level;
  }
}

std::string why(const pod_demand& demand, const pod_policy& policy, const std::string& queue,
                const std::string& holder) {
  const auto& row = row_of(demand.control);
  const auto name_of = [](pod_level level) {
    return std::string{enum_names(level)[static_cast<std::size_t>(level)]};
  };
  auto out = demand.value.empty() ? std::string{"is not set, which "} : "'" + demand.value + "' ";
  out += row.what;
  if (demand.control == annotation && !policy.annotations.empty())
    out = "'" + demand.value + "' is an annotation that jobs of queue '" + queue + "' may not have";
  else if (row.level == no_level)
    out += " that queue '" + queue + "' may not use";
  else
    out += "; the level " + name_of(policy.level) + " of Pod Security, which queue '" + queue +
           "' has, does not allow it";
  const auto wider = row.level == restricted ? pod_level::baseline : pod_level::privileged;
  out += "; an operator can change " +
         (row.key.empty() ? "level to " + name_of(wider) : std::string{row.key}) + " in " + holder;
  return out;
}

/// What CRI-O gives no container, and other runtimes give all.
constexpr std::array<std::string_view, 5> rarely_needed{"AUDIT_WRITE", "MKNOD", "NET_RAW",
                                                        "SETFCAP", "SYS_CHROOT"};

json& object_at(json& of, const char* name) {
  auto& out = of[name];
  if (!out.is_object()) out = json::object();
  return out;
}

bool has(const json& of, const char* name) {
  const auto at = of.find(name);
  return at != of.end() && !at->is_null();
}

void drop_capabilities(json& context, pod_level level) {
  auto& capabilities = object_at(context, "capabilities");
  if (has(capabilities, "drop") && !capabilities["drop"].empty()) return;
  auto drop = json::array();
  if (level == pod_level::restricted) drop.push_back("ALL");
  if (level == pod_level::baseline)
    for (const auto name : rarely_needed)
      if (!has(capabilities, "add") ||
          std::ranges::find(capabilities["add"], json(name)) == capabilities["add"].end())
        drop.push_back(name);
  capabilities["drop"] = std::move(drop);
}

}  // namespace

std::vector<pod_refusal> judge_pod(const std::vector<pod_demand>& demands, const pod_policy& policy,
                                   const std::string& queue, const std::string& holder) {
  std::vector<pod_refusal> out;
  for (const auto& each : demands)
    if (!is_allowed(each, policy)) out.push_back({each.place, why(each, policy, queue, holder)});
  return out;
}

std::string text_of(const std::vector<pod_refusal>& refusals, const std::string& prefix) {
  constexpr std::size_t named_max = 5;
  ARGOSY_CHECK(!refusals.empty());
  auto out = prefix + refusals.front().place + ": " + refusals.front().why;
  for (std::size_t i = 1; i < refusals.size() && i < named_max; ++i)
    out += (i == 1 ? "; not allowed either: " : ", ") + prefix + refusals[i].place;
  if (refusals.size() > named_max) out += " and more";
  return out;
}

void harden_pod(json& spec, const pod_policy& policy) {
  if (policy.level == pod_level::privileged || is_windows_pod(spec)) return;
  auto& context = object_at(spec, "securityContext");
  if (!has(context, "seccompProfile")) context["seccompProfile"] = {{"type", "RuntimeDefault"}};
  if (policy.level == pod_level::restricted && !has(context, "runAsNonRoot"))
    context["runAsNonRoot"] = true;
  for (const auto* kind : {"containers", "initContainers"}) {
    if (!has(spec, kind)) continue;
    for (auto& container : spec[kind]) {
      auto& own = object_at(container, "securityContext");
      drop_capabilities(own, policy.level);
      if (policy.level == pod_level::restricted && !has(own, "allowPrivilegeEscalation"))
        own["allowPrivilegeEscalation"] = false;
    }
  }
}

}  // namespace argosy::access
