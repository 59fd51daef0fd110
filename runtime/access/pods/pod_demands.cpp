// SPDX-License-Identifier: Apache-2.0
#include "runtime/access/pods/pod_demands.hpp"

#include <algorithm>
#include <array>
#include <set>

#include "runtime/access/pods/annotation_demands.hpp"

namespace argosy::access {

namespace {

using nlohmann::json;
using enum pod_control;

constexpr std::array<std::string_view, 3> container_kinds{"containers", "initContainers",
                                                          "ephemeralContainers"};
constexpr std::array<std::string_view, 13> usual_capabilities{
    "AUDIT_WRITE",      "CHOWN",   "DAC_OVERRIDE", "FOWNER",  "FSETID", "KILL",      "MKNOD",
    "NET_BIND_SERVICE", "SETFCAP", "SETGID",       "SETPCAP", "SETUID", "SYS_CHROOT"};
constexpr std::array<std::string_view, 12> safe_sysctls{
    "kernel.shm_rmid_forced",           "net.ipv4.ip_local_port_range",
    "net.ipv4.ip_local_reserved_ports", "net.ipv4.ip_unprivileged_port_start",
    "net.ipv4.ping_group_range",        "net.ipv4.tcp_fin_timeout",
    "net.ipv4.tcp_keepalive_intvl",     "net.ipv4.tcp_keepalive_probes",
    "net.ipv4.tcp_keepalive_time",      "net.ipv4.tcp_rmem",
    "net.ipv4.tcp_syncookies",          "net.ipv4.tcp_wmem"};
constexpr std::array<std::string_view, 5> se_linux_types{
    "", "container_engine_t", "container_init_t", "container_kvm_t", "container_t"};
constexpr std::array<std::string_view, 9> plain_volumes{
    "configMap", "csi",   "downwardAPI", "emptyDir", "ephemeral", "image", "persistentVolumeClaim",
    "projected", "secret"};
constexpr std::array<std::string_view, 3> confined{"", "RuntimeDefault", "Localhost"};
bool is_in(const auto& list, std::string_view text) {
  return std::ranges::find(list, text) != list.end();
}

const json& part(const json& of, std::string_view name) {
  static const json none;
  if (!of.is_object()) return none;
  const auto at = of.find(std::string{name});
  return at == of.end() ? none : *at;
}

const json& part(const json& of, std::string_view outer, std::string_view inner) {
  return part(part(of, outer), inner);
}

/// The value as text; empty if there is none.
std::string text_of(const json& value) {
  if (value.is_null()) return {};
  return value.is_string() ? value.get<std::string>() : value.dump();
}

bool is_false(const json& value) {
  return value.is_boolean() && !value.get<bool>();
}
bool is_true(const json& value) {
  return value.is_boolean() && value.get<bool>();
}
/// Whether something is asked for that is off where nothing is said.
bool is_on(const json& value) {
  return !value.is_null() && !is_false(value);
}

/// Reads one spec.
class reader {
 public:
  explicit reader(const json& spec)
      : spec_(spec),
        is_windows_(is_windows_pod(spec)),
        non_root_(part(spec, "securityContext", "runAsNonRoot")),
        profile_(text_of(part(part(spec, "securityContext", "seccompProfile"), "type"))) {}

  std::vector<pod_demand> read() {
    read_host();
    read_context(part(spec_, "securityContext"), "securityContext");
    for (const auto& each : part(spec_, "securityContext", "sysctls")) {
      const auto name = text_of(part(each, "name"));
      if (!is_in(safe_sysctls, name)) add(sysctl, "securityContext.sysctls", name);
    }
    if (!non_root_.is_null() && !is_true(non_root_))
      add(root, "securityContext.runAsNonRoot", text_of(non_root_));
    for (const auto kind : container_kinds) {
      const auto& list = part(spec_, kind);
      for (std::size_t i = 0; list.is_array() && i < list.size(); ++i)
        read_container(list[i], std::string{kind} + "[" + std::to_string(i) + "]");
    }
    read_volumes();
    read_claims();
    read_names();
    return std::move(out_);
  }

 private:
  void add(pod_control control, std::string place, std::string value) {
    out_.push_back({control, std::move(place), std::move(value), false});
  }
  void add_silent(pod_control control, std::string place) {
    out_.push_back({control, std::move(place), {}, true});
  }

  void read_host() {
    if (is_on(part(spec_, "hostNetwork"))) add(host_namespace, "hostNetwork", "network");
    if (is_on(part(spec_, "hostPID"))) add(host_namespace, "hostPID", "pid");
    if (is_on(part(spec_, "hostIPC"))) add(host_namespace, "hostIPC", "ipc");
  }

  /// Reads what a security context may have for a pod and for a container.
  void read_context(const json& context, const std::string& place) {
    const auto& process = part(context, "windowsOptions", "hostProcess");
    if (is_on(process)) add(host_process, place + ".windowsOptions.hostProcess", text_of(process));
    const auto& options = part(context, "seLinuxOptions");
    if (const auto type = text_of(part(options, "type")); !is_in(se_linux_types, type))
      add(se_linux, place + ".seLinuxOptions.type", type);
    for (const auto* name : {"user", "role"})
      if (const auto value = text_of(part(options, name)); !value.empty())
        add(se_linux, place + ".seLinuxOptions." + name, value);
    if (const auto type = text_of(part(context, "seccompProfile", "type")); !is_in(confined, type))
      add(seccomp, place + ".seccompProfile.type", type);
    if (const auto type = text_of(part(context, "appArmorProfile", "type")); !is_in(confined, type))
      add(app_armor, place + ".appArmorProfile.type", type);
    if (const auto& user = part(context, "runAsUser"); user.is_number() && user == 0)
      add(root_user, place + ".runAsUser", "0");
  }

  void read_container(const json& container, const std::string& place) {
    const auto& context = part(container, "securityContext");
    const auto at = place + ".securityContext";
    read_context(context, at);
    if (const auto& value = part(context, "privileged"); is_on(value))
      add(privileged, at + ".privileged", text_of(value));
    if (const auto type = text_of(part(context, "procMount")); !type.empty() && type != "Default")
      add(proc_mount, at + ".procMount", type);
    read_non_root(context, at);
    if (!is_windows_) read_linux(context, at);
    const auto& added = part(context, "capabilities", "add");
    for (const auto& each : added)
      if (const auto name = text_of(each); !is_in(usual_capabilities, name))
        add(capability, at + ".capabilities.add", name);
    const auto& ports = part(container, "ports");
    for (std::size_t i = 0; ports.is_array() && i < ports.size(); ++i)
      if (const auto& port = part(ports[i], "hostPort"); !port.is_null() && port != 0)
        add(host_port, place + ".ports[" + std::to_string(i) + "].hostPort", text_of(port));
    for (const auto* probe : {"livenessProbe", "readinessProbe", "startupProbe"})
      read_handler(part(container, probe), place + "." + probe);
    for (const auto* hook : {"postStart", "preStop"})
      read_handler(part(container, "lifecycle", hook), place + ".lifecycle." + hook);
    read_devices(part(container, "resources"), place + ".resources");
  }

  void read_non_root(const json& context, const std::string& place) {
    const auto& value = part(context, "runAsNonRoot");
    if (value.is_null()) {
      if (!is_true(non_root_)) add_silent(root, place + ".runAsNonRoot");
    } else if (!is_true(value)) {
      add(root, place + ".runAsNonRoot", text_of(value));
    }
  }

  /// Reads what only the level restricted asks of containers that are not for Windows.
  void read_linux(const json& context, const std::string& place) {
    const auto& escalates = part(context, "allowPrivilegeEscalation");
    if (escalates.is_null())
      add_silent(escalation, place + ".allowPrivilegeEscalation");
    else if (!is_false(escalates))
      add(escalation, place + ".allowPrivilegeEscalation", text_of(escalates));
    if (profile_.empty() && text_of(part(context, "seccompProfile", "type")).empty())
      add_silent(seccomp_unset, place + ".seccompProfile.type");
    const auto& dropped = part(context, "capabilities", "drop");
    if (!dropped.is_array() || dropped.empty())
      add_silent(kept_capabilities, place + ".capabilities.drop");
    else if (std::ranges::find(dropped, json("ALL")) == dropped.end())
      add(kept_capabilities, place + ".capabilities.drop", dropped.dump());
    for (const auto& each : part(context, "capabilities", "add"))
      if (const auto name = text_of(each); name != "NET_BIND_SERVICE")
        add(added_capability, place + ".capabilities.add", name);
  }

  void read_handler(const json& handler, const std::string& place) {
    for (const auto* kind : {"httpGet", "tcpSocket"})
      if (const auto host = text_of(part(handler, kind, "host")); !host.empty())
        add(probe_host, place + "." + kind + ".host", host);
  }

  /// Extended resources have the domain of who made them; Kubernetes' own are no devices.
  void read_devices(const json& resources, const std::string& place) {
    std::set<std::string> seen;
    for (const auto* list : {"requests", "limits"}) {
      const auto& amounts = part(resources, list);
      if (!amounts.is_object()) continue;
      for (const auto& [name, amount] : amounts.items()) {
        const auto slash = name.find('/');
        if (slash == std::string::npos || !seen.insert(name).second) continue;
        const auto domain = std::string_view{name}.substr(0, slash);
        if (domain == "kubernetes.io" || domain.ends_with(".kubernetes.io")) continue;
        add(device, place + "." + list + "[\"" + name + "\"]", name);
      }
    }
  }

  void read_volumes() {
    const auto& list = part(spec_, "volumes");
    for (std::size_t i = 0; list.is_array() && i < list.size(); ++i) {
      if (!list[i].is_object()) continue;
      const auto place = "volumes[" + std::to_string(i) + "].";
      for (const auto& [type, source] : list[i].items()) {
        if (type == "name" || source.is_null()) continue;
        if (type == "hostPath")
          add(host_path, place + type, text_of(part(source, "path")));
        else if (type == "csi")
          add(csi_driver, place + "csi.driver", text_of(part(source, "driver")));
        else if (!is_in(plain_volumes, type))
          add(volume_type, place + type, type);
      }
    }
  }

  /// Devices that are claimed are counted by nobody.
  void read_claims() {
    const auto& list = part(spec_, "resourceClaims");
    for (std::size_t i = 0; list.is_array() && i < list.size(); ++i) {
      const auto claim = text_of(part(list[i], "resourceClaimName"));
      const auto made = text_of(part(list[i], "resourceClaimTemplateName"));
      add(device, "resourceClaims[" + std::to_string(i) + "]", claim.empty() ? made : claim);
    }
  }

  void read_names() {
    auto account = text_of(part(spec_, "serviceAccountName"));
    const auto older = text_of(part(spec_, "serviceAccount"));
    if (!older.empty() && older != account) add(service_account, "serviceAccount", older);
    if (account.empty() && older.empty()) account = "default";
    if (!account.empty()) add(service_account, "serviceAccountName", account);
    if (const auto name = text_of(part(spec_, "runtimeClassName")); !name.empty())
      add(runtime_class, "runtimeClassName", name);
    if (const auto name = text_of(part(spec_, "priorityClassName")); !name.empty())
      add(priority_class, "priorityClassName", name);
  }

  const json& spec_;
  const bool is_windows_;
  const json& non_root_;
  const std::string profile_;
  std::vector<pod_demand> out_;
};

}  // namespace

bool is_windows_pod(const json& spec) {
  return text_of(part(spec, "os", "name")) == "windows";
}

std::vector<pod_demand> demands_of_spec(const json& spec) {
  return reader{spec}.read();
}

std::vector<pod_demand> demands_of_attached(const json& object) {
  std::vector<pod_demand> out;
  if (text_of(part(object, "kind")) == "Ingress")
    out.push_back({service, "ingress", "Ingress", false});
  else if (text_of(part(object, "spec", "type")) == "NodePort")
    out.push_back({service, "services", "NodePort", false});
  if (const auto& annotations = part(object, "metadata", "annotations"); annotations.is_object())
    for (const auto& [name, value] : annotations.items())
      add_annotation_demand(name, text_of(value), out);
  return out;
}

std::vector<pod_demand> demands_of_pod(const json& pod) {
  const auto& metadata = part(pod, "metadata");
  std::vector<pod_demand> out;
  if (const auto name = text_of(part(metadata, "namespace")); !name.empty())
    out.push_back({name_space, "namespace", name, false});
  if (const auto& annotations = part(metadata, "annotations"); annotations.is_object())
    for (const auto& [name, value] : annotations.items())
      add_annotation_demand(name, text_of(value), out);
  auto spec = demands_of_spec(part(pod, "spec"));
  for (auto& each : spec) each.place = "podSpec." + each.place;
  out.insert(out.end(), std::make_move_iterator(spec.begin()), std::make_move_iterator(spec.end()));
  return out;
}

}  // namespace argosy::access
