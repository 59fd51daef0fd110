// SPDX-License-Identifier: Apache-2.0
// Goal: the levels baseline and restricted allow and refuse what the Pod Security Standards of
// Kubernetes do, in containers of every kind, and a pod that says nothing becomes one that its
// level allows.
// Method: each control is a row of values, set one by one in a pod that is allowed everywhere.
#include <gtest/gtest.h>

#include "runtime/access/pods/judge_pod.hpp"

namespace argosy::access {
namespace {

using nlohmann::json;

constexpr std::array levels{pod_level::privileged, pod_level::baseline, pod_level::restricted};

/// A pod that every level allows.
json strict_pod() {
  return json::parse(R"({
    "metadata": {"namespace": "jobs"},
    "spec": {
      "securityContext": {"runAsNonRoot": true, "seccompProfile": {"type": "RuntimeDefault"}},
      "containers": [{"name": "c", "securityContext":
        {"allowPrivilegeEscalation": false, "capabilities": {"drop": ["ALL"]}}}],
      "initContainers": [{"name": "i", "securityContext":
        {"allowPrivilegeEscalation": false, "capabilities": {"drop": ["ALL"]}}}],
      "ephemeralContainers": [{"name": "e", "securityContext":
        {"allowPrivilegeEscalation": false, "capabilities": {"drop": ["ALL"]}}}]}})");
}

bool is_allowed(const json& pod, pod_level level) {
  pod_policy policy;
  policy.level = level;
  return judge_pod(demands_of_pod(pod), policy, "q", "here").empty();
}

/// A row sets values at a place of a pod. `from` is the first level that refuses the bad ones.
struct row {
  pod_level from;
  std::string place;  ///< A JSON pointer; ~ at its beginning stands for each kind of container.
  std::vector<json> good;
  std::vector<json> bad;
};

std::vector<std::string> places_of(const row& of) {
  if (!of.place.starts_with('~')) return {of.place};
  std::vector<std::string> out;
  for (const auto* kind : {"containers", "initContainers", "ephemeralContainers"})
    out.push_back("/spec/" + std::string{kind} + "/0" + of.place.substr(1));
  return out;
}

void expect_row(const row& of) {
  for (const auto& place : places_of(of)) {
    const json::json_pointer at{place};
    for (const auto& value : of.good) {
      auto pod = strict_pod();
      pod[at] = value;
      for (const auto level : levels)
        EXPECT_TRUE(is_allowed(pod, level))
            << place << " = " << value << enum_names(level)[int(level)];
    }
    for (const auto& value : of.bad) {
      auto pod = strict_pod();
      pod[at] = value;
      for (const auto level : levels)
        EXPECT_EQ(is_allowed(pod, level), level < of.from)
            << place << " = " << value << " " << enum_names(level)[int(level)];
    }
  }
}

constexpr auto baseline = pod_level::baseline;
constexpr auto restricted = pod_level::restricted;

TEST(pod_security, the_controls_of_baseline) {
  const std::vector<row> rows{
      {baseline,
       "/spec/securityContext/windowsOptions",
       {{{"hostProcess", false}}, json::object()},
       {{{"hostProcess", true}}}},
      {baseline,
       "~/securityContext/windowsOptions",
       {{{"hostProcess", false}}, nullptr},
       {{{"hostProcess", true}}}},
      {baseline, "/spec/hostNetwork", {false, nullptr}, {true}},
      {baseline, "/spec/hostPID", {false, nullptr}, {true}},
      {baseline, "/spec/hostIPC", {false, nullptr}, {true}},
      {baseline, "~/securityContext/privileged", {false, nullptr}, {true}},
      {baseline,
       "~/securityContext/capabilities/add",
       {json::array(), {"NET_BIND_SERVICE"}},
       {{"NET_RAW"}, {"SYS_ADMIN"}, {"ALL"}, {"CAP_CHOWN"}, {"CHOWN", "NET_ADMIN"}}},
      {baseline,
       "/spec/volumes",
       {},
       {json::parse(R"([{"name": "v", "hostPath": {"path": "/"}}])"),
        json::parse(R"([{"name": "w", "emptyDir": {}},
                        {"name": "v", "hostPath": {"path": "/dev/x", "type": "CharDevice"}}])")}},
      {baseline,
       "~/ports",
       {json::parse(R"([{"containerPort": 80}, {"hostPort": 0}])")},
       {json::parse(R"([{"containerPort": 80}, {"hostPort": 80}])")}},
      {baseline,
       "/metadata/annotations",
       {{{"container.apparmor.security.beta.kubernetes.io/c", "runtime/default"}},
        {{"container.apparmor.security.beta.kubernetes.io/c", "localhost/mine"}},
        {{"container.apparmor.security.beta.kubernetes.io/c", ""}},
        {{"other", "unconfined"}}},
       {{{"container.apparmor.security.beta.kubernetes.io/c", "unconfined"}}}},
      {baseline,
       "/spec/securityContext/seLinuxOptions",
       {json::object(),
        {{"type", "container_t"}, {"level", "s0:c1"}},
        {{"type", "container_init_t"}},
        {{"type", "container_kvm_t"}},
        {{"type", "container_engine_t"}},
        {{"type", ""}}},
       {{{"type", "spc_t"}}, {{"user", "sysadm_u"}}, {{"role", "sysadm_r"}}}},
      {baseline,
       "~/securityContext/seLinuxOptions",
       {json::object(), {{"type", "container_t"}}},
       {{{"type", "spc_t"}}, {{"user", "sysadm_u"}}, {{"role", "sysadm_r"}}}},
  };
  for (const auto& each : rows) expect_row(each);
}

TEST(pod_security, further_controls_of_baseline) {
  const std::vector<row> rows{
      {baseline, "~/securityContext/procMount", {"Default", nullptr}, {"Unmasked"}},
      {baseline,
       "/spec/securityContext/seccompProfile",
       {{{"type", "RuntimeDefault"}}, {{"type", "Localhost"}, {"localhostProfile", "x"}}},
       {{{"type", "Unconfined"}}}},
      {baseline,
       "~/securityContext/seccompProfile",
       {{{"type", "RuntimeDefault"}}, {{"type", "Localhost"}, {"localhostProfile", "x"}}, nullptr},
       {{{"type", "Unconfined"}}}},
      {baseline,
       "/spec/securityContext/appArmorProfile",
       {{{"type", "RuntimeDefault"}}, {{"type", "Localhost"}}, nullptr},
       {{{"type", "Unconfined"}}}},
      {baseline,
       "~/securityContext/appArmorProfile",
       {{{"type", "RuntimeDefault"}}, {{"type", "Localhost"}}, nullptr},
       {{{"type", "Unconfined"}}}},
      {baseline,
       "~/livenessProbe",
       {{{"httpGet", {{"port", 80}}}}, {{"tcpSocket", {{"host", ""}}}}},
       {{{"httpGet", {{"host", "10.0.0.1"}}}}, {{"tcpSocket", {{"host", "10.0.0.1"}}}}}},
      {baseline,
       "~/readinessProbe",
       {{{"exec", {{"command", {"true"}}}}}},
       {{{"httpGet", {{"host", "127.0.0.1"}}}}, {{"tcpSocket", {{"host", "::1"}}}}}},
      {baseline,
       "~/startupProbe",
       {{{"grpc", {{"port", 80}}}}},
       {{{"httpGet", {{"host", "x"}}}}, {{"tcpSocket", {{"host", "x"}}}}}},
      {baseline,
       "~/lifecycle",
       {{{"preStop", {{"httpGet", {{"path", "/"}}}}}},
        {{"postStart", {{"sleep", {{"seconds", 1}}}}}}},
       {{{"preStop", {{"httpGet", {{"host", "x"}}}}}},
        {{"postStart", {{"httpGet", {{"host", "x"}}}}}},
        {{"preStop", {{"tcpSocket", {{"host", "x"}}}}}},
        {{"postStart", {{"tcpSocket", {{"host", "x"}}}}}}}},
  };
  for (const auto& each : rows) expect_row(each);
}

TEST(pod_security, capabilities_and_sysctls_that_baseline_allows) {
  for (const auto* name :
       {"AUDIT_WRITE", "CHOWN", "DAC_OVERRIDE", "FOWNER", "FSETID", "KILL", "MKNOD",
        "NET_BIND_SERVICE", "SETFCAP", "SETGID", "SETPCAP", "SETUID", "SYS_CHROOT"}) {
    auto pod = strict_pod();
    pod["spec"]["containers"][0]["securityContext"]["capabilities"]["add"] = {name};
    EXPECT_TRUE(is_allowed(pod, baseline)) << name;
    EXPECT_EQ(is_allowed(pod, restricted), std::string_view{name} == "NET_BIND_SERVICE") << name;
  }
  for (const auto* name :
       {"kernel.shm_rmid_forced", "net.ipv4.ip_local_port_range",
        "net.ipv4.ip_unprivileged_port_start", "net.ipv4.tcp_syncookies",
        "net.ipv4.ping_group_range", "net.ipv4.ip_local_reserved_ports",
        "net.ipv4.tcp_keepalive_time", "net.ipv4.tcp_fin_timeout", "net.ipv4.tcp_keepalive_intvl",
        "net.ipv4.tcp_keepalive_probes", "net.ipv4.tcp_rmem", "net.ipv4.tcp_wmem"}) {
    auto pod = strict_pod();
    pod["spec"]["securityContext"]["sysctls"] = {{{"name", name}, {"value", "1"}}};
    EXPECT_TRUE(is_allowed(pod, restricted)) << name;
    pod["spec"]["securityContext"]["sysctls"].push_back(
        {{"name", "kernel.msgmax"}, {"value", "1"}});
    EXPECT_FALSE(is_allowed(pod, baseline)) << name;
    EXPECT_TRUE(is_allowed(pod, pod_level::privileged)) << name;
  }
}

TEST(pod_security, the_controls_of_restricted) {
  const std::vector<row> rows{
      {restricted, "~/securityContext/allowPrivilegeEscalation", {false}, {true, nullptr}},
      {restricted, "/spec/securityContext/runAsNonRoot", {true}, {false, nullptr}},
      {restricted, "~/securityContext/runAsNonRoot", {true, nullptr}, {false}},
      {restricted, "/spec/securityContext/runAsUser", {1000, nullptr}, {0}},
      {restricted, "~/securityContext/runAsUser", {1000, nullptr}, {0}},
      {restricted, "/spec/securityContext/seccompProfile", {{{"type", "Localhost"}}}, {nullptr}},
      {restricted,
       "~/securityContext/capabilities/drop",
       {{"ALL"}, {"CHOWN", "ALL"}},
       {json::array(), {"NET_RAW"}, {"all"}, nullptr}},
      {restricted,
       "~/securityContext/capabilities/add",
       {{"NET_BIND_SERVICE"}, nullptr},
       {{"CHOWN"}, {"NET_BIND_SERVICE", "SETUID"}}},
  };
  for (const auto& each : rows) expect_row(each);
}

TEST(pod_security, the_types_of_volumes_that_restricted_allows) {
  for (const auto* type : {"configMap", "csi", "downwardAPI", "emptyDir", "ephemeral", "image",
                           "persistentVolumeClaim", "projected", "secret"})
    expect_row({restricted, "/spec/volumes", {{{{"name", "v"}, {type, json::object()}}}}, {}});
  for (const auto* type : {"gcePersistentDisk",
                           "awsElasticBlockStore",
                           "gitRepo",
                           "nfs",
                           "iscsi",
                           "glusterfs",
                           "rbd",
                           "flexVolume",
                           "cinder",
                           "cephfs",
                           "flocker",
                           "fc",
                           "azureFile",
                           "vsphereVolume",
                           "quobyte",
                           "azureDisk",
                           "photonPersistentDisk",
                           "portworxVolume",
                           "scaleIO",
                           "storageos"})
    expect_row({restricted, "/spec/volumes", {}, {{{{"name", "v"}, {type, json::object()}}}}});
}

TEST(pod_security, a_container_may_say_what_the_pod_does_not) {
  auto pod = strict_pod();
  auto& spec = pod["spec"];
  spec["securityContext"] = json::object();
  for (const auto* kind : {"containers", "initContainers", "ephemeralContainers"}) {
    EXPECT_FALSE(is_allowed(pod, restricted)) << kind;
    auto& context = spec[kind][0]["securityContext"];
    context["runAsNonRoot"] = true;
    context["seccompProfile"] = {{"type", "RuntimeDefault"}};
  }
  EXPECT_TRUE(is_allowed(pod, restricted));
}

TEST(pod_security, pods_for_windows_have_no_capabilities_and_no_seccomp) {
  auto pod = json::parse(R"({"spec": {"os": {"name": "windows"},
    "securityContext": {"runAsNonRoot": true}, "containers": [{"name": "c"}]}})");
  EXPECT_TRUE(is_allowed(pod, restricted));
  const auto before = pod["spec"];
  harden_pod(pod["spec"], {});
  EXPECT_EQ(pod["spec"], before);
  pod["spec"]["os"]["name"] = "linux";
  EXPECT_FALSE(is_allowed(pod, restricted));
}

TEST(pod_security, a_pod_that_says_nothing_becomes_one_that_its_level_allows) {
  for (const auto level : levels) {
    auto spec =
        json::parse(R"({"containers": [{"name": "c"}], "initContainers": [{"name": "i"}]})");
    const auto before = spec;
    pod_policy policy;
    policy.level = level;
    harden_pod(spec, policy);
    EXPECT_TRUE(judge_pod(demands_of_spec(spec), policy, "q", "here").empty()) << spec;
    for (const auto& each : demands_of_spec(before))
      EXPECT_EQ(each.silent, each.control != pod_control::service_account) << each.place;
    if (level == pod_level::privileged)
      EXPECT_EQ(spec, before);
    else
      EXPECT_EQ(spec["securityContext"]["seccompProfile"]["type"], "RuntimeDefault");
  }
}

TEST(pod_security, what_a_pod_says_stays) {
  auto spec = json::parse(R"({
    "securityContext": {"seccompProfile": {"type": "Localhost", "localhostProfile": "x"}},
    "containers": [
      {"name": "a", "securityContext": {"capabilities": {"drop": ["KILL"]}}},
      {"name": "b", "securityContext": {"capabilities": {"add": ["SYS_CHROOT"]}}}]})");
  harden_pod(spec, {});
  EXPECT_EQ(spec["securityContext"]["seccompProfile"]["type"], "Localhost");
  EXPECT_EQ(spec["containers"][0]["securityContext"]["capabilities"]["drop"], json({"KILL"}));
  EXPECT_EQ(spec["containers"][1]["securityContext"]["capabilities"]["drop"],
            json({"AUDIT_WRITE", "MKNOD", "NET_RAW", "SETFCAP"}));
  EXPECT_FALSE(spec["securityContext"].contains("runAsNonRoot"));
}

}  // namespace
}  // namespace argosy::access
