// SPDX-License-Identifier: Apache-2.0
#include "runtime/backends/container/oci_config.hpp"

#include <algorithm>
#include <array>
#include <nlohmann/json.hpp>

#include "runtime/backends/platform.hpp"

namespace argosy::backends {

namespace {

using nlohmann::json;

constexpr const char* default_path = "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin";

/// As the container engines of the distribution have it.
constexpr std::array masked{"/proc/acpi",          "/proc/kcore",      "/proc/keys",
                            "/proc/latency_stats", "/proc/timer_list", "/proc/timer_stats",
                            "/proc/sched_debug",   "/proc/scsi",       "/sys/firmware",
                            "/sys/fs/selinux"};
constexpr std::array read_only{"/proc/asound", "/proc/bus", "/proc/fs",
                               "/proc/irq",    "/proc/sys", "/proc/sysrq-trigger"};

json mount(const char* target, const char* type, const char* source, std::vector<std::string> how) {
  return {{"destination", target}, {"type", type}, {"source", source}, {"options", std::move(how)}};
}

json bind(const bound_path& from) {
  std::vector<std::string> how{"rbind", "nosuid", from.read_only ? "ro" : "rw"};
  if (!from.device) how.emplace_back("nodev");
  return {
      {"destination", from.target}, {"type", "bind"}, {"source", from.source}, {"options", how}};
}

json mounts_of(const oci_request& request) {
  std::vector<std::string> terminals{"nosuid", "noexec", "newinstance", "ptmxmode=0666",
                                     "mode=0620"};
  // The group of terminals is not among the ids of such a namespace.
  if (!request.one_id) terminals.emplace_back("gid=5");
  json out = json::array();
  out.push_back(mount("/proc", "proc", "proc", {"nosuid", "noexec", "nodev"}));
  out.push_back(mount("/dev", "tmpfs", "tmpfs", {"nosuid", "strictatime", "mode=755", "size=64k"}));
  out.push_back(mount("/dev/pts", "devpts", "devpts", terminals));
  out.push_back(
      mount("/dev/shm", "tmpfs", "shm", {"nosuid", "noexec", "nodev", "mode=1777", "size=65536k"}));
  out.push_back(mount("/dev/mqueue", "mqueue", "mqueue", {"nosuid", "noexec", "nodev"}));
  // Only who has a network namespace of its own may mount a sysfs. What is mounted below /sys stays
  // out of sight, since it can be written to; a user namespace may not leave it out, but its user
  // may not write there.
  if (request.own_network)
    out.push_back(mount("/sys", "sysfs", "sysfs", {"nosuid", "noexec", "nodev", "ro"}));
  else
    out.push_back(mount("/sys", "bind", "/sys",
                        {request.one_id ? "rbind" : "bind", "nosuid", "noexec", "nodev", "ro"}));
  if (!request.own_network)
    for (const char* file : {"/etc/hosts", "/etc/resolv.conf"})
      out.push_back(bind({file, file, true}));
  for (const auto& each : request.volumes) out.push_back(bind(each));
  for (const auto& each : request.devices.mounts) out.push_back(bind(each));
  for (const auto& each : request.devices.nodes) out.push_back(bind({each, each, false, true}));
  return out;
}

/// Later texts go before earlier ones of the same name.
void put(std::vector<std::pair<std::string, std::string>>& env, const std::string& name,
         const std::string& value) {
  const auto at = std::ranges::find(env, name, &std::pair<std::string, std::string>::first);
  if (at == env.end())
    env.emplace_back(name, value);
  else
    at->second = value;
}

void put(std::vector<std::pair<std::string, std::string>>& env, const std::string& item) {
  if (const auto equals = item.find('='); equals != std::string::npos && equals > 0)
    put(env, item.substr(0, equals), item.substr(equals + 1));
}

json env_of(const oci_request& request) {
  std::vector<std::pair<std::string, std::string>> env;
  put(env, "PATH", default_path);
  for (const auto& item : request.image->env) put(env, item);
  for (const auto& [name, value] : request.container->env) put(env, name, value);
  for (const auto& item : request.devices.env) put(env, item);
  for (const auto& [name, value] : request.more_env) put(env, name, value);
  json out = json::array();
  for (const auto& [name, value] : env) out.push_back(name + "=" + value);
  return out;
}

/// Whether a rule with conditions holds for a container without capabilities on this processor.
bool holds(const json& rule) {
  const auto list = [&](const char* where, const char* what) {
    return rule.value(where, json::object()).value(what, json::array());
  };
  const auto names_us = [](const json& all) {
    return std::ranges::any_of(all, [](const auto& each) { return each == own_architecture(); });
  };
  if (!list("includes", "caps").empty()) return false;
  if (const auto arches = list("includes", "arches"); !arches.empty() && !names_us(arches))
    return false;
  return !names_us(list("excludes", "arches"));
}

/// What a CDI file has under containerEdits.
void add_edits(const json& edits, device_edits& to) {
  for (const auto& each : edits.value("env", json::array()))
    if (each.is_string()) to.env.push_back(each);
  for (const auto& each : edits.value("deviceNodes", json::array()))
    if (const auto path = each.value("hostPath", each.value("path", std::string{})); !path.empty())
      to.nodes.push_back(path);
  for (const auto& each : edits.value("mounts", json::array())) {
    const auto options = each.value("options", std::vector<std::string>{});
    to.mounts.push_back({each.value("hostPath", std::string{}),
                         each.value("containerPath", std::string{}),
                         std::ranges::find(options, "ro") != options.end()});
  }
}

}  // namespace

result<std::vector<std::string>> command_of(const model::pod_container& container,
                                            const image_facts& image) {
  auto out = container.command.empty() ? image.entrypoint : container.command;
  const auto& rest =
      container.args.empty() && container.command.empty() ? image.command : container.args;
  out.insert(out.end(), rest.begin(), rest.end());
  if (out.empty() || out.front().empty())
    return fail(ec::invalid_argument, container.place + ".command is empty, and the image '" +
                                          container.image + "' names no command either");
  return out;
}

result<std::string> make_oci_config(const oci_request& request) {
  const auto& container = *request.container;
  const auto command = command_of(container, *request.image);
  if (!command) return fail(command.error());
  const auto& directory =
      container.working_dir.empty() ? request.image->working_dir : container.working_dir;
  if (!directory.empty() && !directory.starts_with('/'))
    return fail(ec::invalid_argument,
                container.place + ".workingDir '" + directory + "' does not begin with '/'");
  const auto user = container.user.value_or(request.image->uid);
  const auto group = container.group.value_or(container.user ? 0 : request.image->gid);
  if (container.non_root && user == 0)
    return fail(ec::invalid_argument, container.place +
                                          ".securityContext.runAsNonRoot is set, and its user is "
                                          "0: name another one by runAsUser");
  if (request.one_id && (user != 0 || group != 0))
    return fail(ec::invalid_argument,
                container.place + ": user " + std::to_string(user) + " and group " +
                    std::to_string(group) +
                    " cannot be had: the agent is not root, so that its containers have user 0 "
                    "alone");
  json process{{"terminal", false},
               {"user", {{"uid", user}, {"gid", group}}},
               {"args", *command},
               {"env", env_of(request)},
               {"cwd", directory.empty() ? "/" : directory},
               {"noNewPrivileges", true}};
  for (const char* each : {"bounding", "effective", "inheritable", "permitted", "ambient"})
    process["capabilities"][each] = json::array();
  // Namespaces for hosts' names, messages and network are the pod's, which its containers share.
  json linux{{"namespaces", json::array({{{"type", "pid"}}, {{"type", "mount"}}})},
             {"maskedPaths", masked},
             {"readonlyPaths", read_only}};
  const auto& filter = request.seccomp;
  if (!filter.profile.empty() && filter.program.empty())
    linux["seccomp"] = json::parse(filter.profile, nullptr, false);
  json out{{"ociVersion", "1.0.0"},
           {"process", process},
           {"root", {{"path", request.root}, {"readonly", container.read_only_root}}},
           {"mounts", mounts_of(request)},
           {"linux", linux}};
  if (!filter.program.empty()) out["annotations"]["run.oci.seccomp_bpf_data"] = filter.program;
  // What a pod says is UTF-8; an image may say anything.
  return out.dump(-1, ' ', false, json::error_handler_t::replace);
}

std::string plain_seccomp(std::string_view text) try {
  const auto in = json::parse(text, nullptr, false);
  if (!in.is_object() || !in.contains("defaultAction") || !in.contains("syscalls")) return {};
  json out{{"defaultAction", in["defaultAction"]}, {"syscalls", json::array()}};
  if (in.contains("defaultErrnoRet")) out["defaultErrnoRet"] = in["defaultErrnoRet"];
  for (const auto& each : in.value("archMap", json::array())) {
    const auto arch = each.value("architecture", std::string{});
    const bool ours = (own_architecture() == "amd64" && arch == "SCMP_ARCH_X86_64") ||
                      (own_architecture() == "arm64" && arch == "SCMP_ARCH_AARCH64");
    if (!ours) continue;
    out["architectures"] = each.value("subArchitectures", json::array());
    out["architectures"].push_back(arch);
  }
  for (const auto& rule : in["syscalls"]) {
    if (!rule.is_object() || !holds(rule)) continue;
    json kept;
    for (const char* name : {"names", "action", "args", "errnoRet"})
      if (rule.contains(name) && !rule[name].is_null()) kept[name] = rule[name];
    out["syscalls"].push_back(std::move(kept));
  }
  return out.dump();
} catch (const json::exception&) {
  return {};  // It has other types than such a file has.
}

std::vector<std::string> cdi_devices(std::string_view text, std::string_view kind) try {
  std::vector<std::string> out;
  const auto in = json::parse(text, nullptr, false);
  if (!in.is_object() || in.value("kind", std::string{}) != kind) return out;
  for (const auto& each : in.value("devices", json::array()))
    if (const auto name = each.value("name", std::string{}); !name.empty() && name != "all")
      out.push_back(name);
  return out;
} catch (const json::exception&) {
  return {};
}

bool add_cdi_device(std::string_view text, std::string_view kind, std::string_view name,
                    device_edits& to) try {
  const auto in = json::parse(text, nullptr, false);
  if (!in.is_object() || in.value("kind", std::string{}) != kind) return false;
  for (const auto& each : in.value("devices", json::array())) {
    if (each.value("name", std::string{}) != name) continue;
    add_edits(each.value("containerEdits", json::object()), to);
    add_edits(in.value("containerEdits", json::object()), to);
    return true;
  }
  return false;
} catch (const json::exception&) {
  return false;
}

}  // namespace argosy::backends
