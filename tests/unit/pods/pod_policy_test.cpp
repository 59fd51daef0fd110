// SPDX-License-Identifier: Apache-2.0
// Goal: a policy's lists say what is allowed, the right entry holds for a queue, and sentences name
// the field, the level, the queue and the key.
// Method: specs of a line or two are judged under policies.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "runtime/access/pods/annotation_demands.hpp"
#include "runtime/access/pods/judge_pod.hpp"

namespace argosy::access {
namespace {

using nlohmann::json;
using ::testing::HasSubstr;

/// The refusals of a spec, in one text.
std::string said(const pod_policy& policy, const char* spec, const char* name_space = "jobs") {
  const json pod{{"metadata", {{"namespace", name_space}}}, {"spec", json::parse(spec)}};
  const auto out = judge_pod(demands_of_pod(pod), policy, "ann-q", "api.podPolicies of argosyd");
  return out.empty() ? "" : text_of(out, {});
}

TEST(pod_policy, sentences_name_the_field_the_level_and_the_key) {
  EXPECT_EQ(said({}, R"({"volumes": [{"name": "v", "hostPath": {"path": "/etc"}}]})"),
            "podSpec.volumes[0].hostPath: '/etc' is a path of the node; the level baseline of Pod "
            "Security, which queue 'ann-q' has, does not allow it; an operator can change "
            "hostPaths in api.podPolicies of argosyd");
  EXPECT_EQ(said({}, R"({"containers": [{"securityContext": {"privileged": true}}],
                         "hostPID": true, "serviceAccountName": "agent"})"),
            "podSpec.hostPID: 'pid' shares a namespace of the node; the level baseline of Pod "
            "Security, which queue 'ann-q' has, does not allow it; an operator can change "
            "hostNamespaces in api.podPolicies of argosyd; not allowed either: "
            "podSpec.containers[0].securityContext.privileged, podSpec.serviceAccountName");
  EXPECT_THAT(said({}, R"({"containers": [{"securityContext": {"privileged": true}}]})"),
              HasSubstr("an operator can change level to privileged in"));
  pod_policy strict;
  strict.level = pod_level::restricted;
  EXPECT_THAT(said(strict, R"({"securityContext": {"runAsUser": 0}})"),
              HasSubstr("'0' is root; the level restricted of Pod Security, which queue 'ann-q' "
                        "has, does not allow it; an operator can change level to baseline in"));
}

TEST(pod_policy, a_list_says_all_that_is_allowed_whatever_the_level) {
  pod_policy policy;
  const auto* const data = R"({"volumes": [{"name": "v", "hostPath": {"path": "/data/a"}}]})";
  policy.host_paths = {"/data/"};
  EXPECT_EQ(said(policy, data), "");
  policy.level = pod_level::restricted;
  EXPECT_EQ(said(policy, data), "");
  for (const auto* path : {"/", "/data2", "/data/../etc", "/dat", "data"})
    EXPECT_NE(
        said(policy,
             (R"({"volumes": [{"hostPath": {"path": ")" + std::string{path} + "\"}}]}").c_str()),
        "")
        << path;
  policy = {};
  policy.level = pod_level::privileged;
  policy.host_paths = {"/scratch"};
  EXPECT_NE(said(policy, data), "");
  policy = {};
  policy.host_namespaces = {"network"};
  EXPECT_EQ(said(policy, R"({"hostNetwork": true})"), "");
  EXPECT_NE(said(policy, R"({"hostPID": true})"), "");
  policy = {};
  policy.host_ports = {"80", "8000-8100"};
  EXPECT_EQ(said(policy, R"({"containers": [{"ports": [{"hostPort": 80}, {"hostPort": 8100}]}]})"),
            "");
  EXPECT_NE(said(policy, R"({"containers": [{"ports": [{"hostPort": 8101}]}]})"), "");
}

TEST(pod_policy, names_are_those_of_the_lists) {
  pod_policy policy;
  EXPECT_EQ(said(policy, R"({"serviceAccountName": "default"})"), "");
  EXPECT_NE(said(policy, R"({"serviceAccountName": "agent"})"), "");
  EXPECT_NE(said(policy, R"({"serviceAccount": "agent"})"), "");
  EXPECT_NE(said(policy, R"({"serviceAccountName": "default", "serviceAccount": "agent"})"), "");
  policy.service_accounts = {"spark-*"};
  EXPECT_EQ(said(policy, R"({"serviceAccountName": "spark-1"})"), "");
  EXPECT_THAT(said(policy, "{}"), HasSubstr("'default' is a service account that queue 'ann-q' may "
                                            "not use; an operator can change serviceAccounts"));
  policy = {};
  policy.level = pod_level::privileged;
  EXPECT_EQ(said(policy, R"({"serviceAccountName": "agent"})"), "");
  policy = {};
  EXPECT_EQ(said(policy, "{}", "anywhere"), "");
  policy.namespaces = {"ann", "ann-*"};
  EXPECT_EQ(said(policy, "{}", "ann-x"), "");
  EXPECT_THAT(said(policy, "{}", "bob"), HasSubstr("namespace: 'bob' is a namespace that"));
  const auto* const gpu = R"({"containers": [{"resources": {
    "requests": {"cpu": "1", "example.com/gpu": "1", "x.kubernetes.io/y": "1"},
    "limits": {"example.com/gpu": "1"}}}]})";
  policy = {};
  EXPECT_EQ(said(policy, gpu), "");
  policy.devices = {"nvidia.com/*"};
  EXPECT_THAT(said(policy, gpu),
              HasSubstr("containers[0].resources.requests[\"example.com/gpu\"]"));
  policy.devices = {"*.com/gpu"};
  EXPECT_EQ(said(policy, gpu), "");
  policy = {};
  policy.runtime_classes = {"gvisor"};
  EXPECT_EQ(said(policy, "{}"), "");
  EXPECT_NE(said(policy, R"({"runtimeClassName": "runc"})"), "");
  policy.priority_classes = {"low"};
  EXPECT_NE(said(policy, R"({"priorityClassName": "high"})"), "");
}

TEST(pod_policy, the_first_that_names_the_queue_holds) {
  std::vector<pod_policy> policies(2);
  policies[0].queues = {"ann-*", "bob"};
  policies[0].level = pod_level::restricted;
  policies[1].level = pod_level::privileged;
  EXPECT_EQ(policy_of(policies, "ann-1").level, pod_level::restricted);
  EXPECT_EQ(policy_of(policies, "bob").level, pod_level::restricted);
  EXPECT_EQ(policy_of(policies, "bobby").level, pod_level::privileged);
  policies.pop_back();
  EXPECT_EQ(policy_of(policies, "bobby"), pod_policy{});
  EXPECT_EQ(policy_of({}, "any").level, pod_level::baseline);
}

TEST(pod_policy, faults_of_what_was_written) {
  pod_policy policy;
  EXPECT_FALSE(fault_of(policy));
  policy.host_paths = {"data"};
  EXPECT_THAT(fault_of(policy).value_or(""), HasSubstr("hostPaths: 'data'"));
  policy = {};
  policy.host_namespaces = {"net"};
  EXPECT_THAT(fault_of(policy).value_or(""), HasSubstr("network, pid, ipc"));
  for (const auto* bad : {"x", "0", "70000", "9-8", "1-", "-1", ""}) {
    policy = {};
    policy.host_ports = {bad};
    EXPECT_TRUE(fault_of(policy)) << bad;
  }
}

/// The refusals of an annotation, in one text.
std::string said_of_annotation(const pod_policy& policy, const char* name,
                               const char* value = "x") {
  std::vector<pod_demand> demands;
  add_annotation_demand(name, value, demands);
  const auto out = judge_pod(demands, policy, "ann-q", "api.podPolicies of argosyd");
  return out.empty() ? "" : text_of(out, {});
}

TEST(pod_policy, annotations_that_reach_past_the_pod_need_a_word_of_the_operator) {
  for (const auto* name :
       {"k8s.v1.cni.cncf.io/networks", "io.katacontainers.config.hypervisor.path",
        "iam.amazonaws.com/role", "nginx.ingress.kubernetes.io/configuration-snippet",
        "nginx.ingress.kubernetes.io/server-alias", "nginx.ingress.kubernetes.io/auth-secret",
        "external-dns.alpha.kubernetes.io/hostname"}) {
    EXPECT_THAT(said_of_annotation({}, name), HasSubstr("annotations in api.podPolicies")) << name;
    pod_policy open;
    open.annotations = {"*.io/*", "*.com/*", "io.katacontainers.*"};
    EXPECT_EQ(said_of_annotation(open, name), "") << name;
    open.annotations.clear();
    open.level = pod_level::privileged;
    EXPECT_EQ(said_of_annotation(open, name), "") << name;
  }
  EXPECT_EQ(said_of_annotation({}, "kubernetes.io/ingress.class"), "");
  EXPECT_EQ(said_of_annotation({}, "example.com/note"), "");
  pod_policy few;
  few.annotations = {"example.com/*"};
  EXPECT_EQ(said_of_annotation(few, "example.com/note"), "");
  EXPECT_THAT(
      said_of_annotation(few, "other.com/note"),
      HasSubstr("'other.com/note' is an annotation that jobs of queue 'ann-q' may not have"));
  for (const auto* own : {"argosy.io/hold", "armadaproject.io/gangId", "armada_owner"})
    EXPECT_EQ(said_of_annotation(few, own), "") << own;
}

TEST(pod_policy, profiles_of_old_stand_in_annotations) {
  for (const auto* name : {"seccomp.security.alpha.kubernetes.io/pod",
                           "container.seccomp.security.alpha.kubernetes.io/main"}) {
    EXPECT_THAT(said_of_annotation({}, name, "unconfined"),
                HasSubstr("is not the runtime's seccomp profile"));
    EXPECT_EQ(said_of_annotation({}, name, "runtime/default"), "");
  }
}

TEST(pod_policy, says_which_claims_drivers_and_services_there_may_be) {
  const auto* const claims = R"({"resourceClaims": [{"name": "g", "resourceClaimName": "fast"},
    {"name": "h", "resourceClaimTemplateName": "made"}]})";
  const auto* const volume = R"({"volumes": [{"name": "v", "csi": {"driver": "nfs.csi.k8s.io"}}]})";
  EXPECT_EQ(said({}, claims), "");
  EXPECT_EQ(said({}, volume), "");
  pod_policy few;
  few.devices = {"nvidia.com/gpu", "fast"};
  few.csi_drivers = {"secrets-store.csi.k8s.io"};
  EXPECT_THAT(said(few, claims), HasSubstr("podSpec.resourceClaims[1]: 'made' is a device"));
  EXPECT_THAT(said(few, volume),
              HasSubstr("podSpec.volumes[0].csi.driver: 'nfs.csi.k8s.io' is a driver of volumes"));
  few.services = {"NodePort"};
  EXPECT_EQ(fault_of(few), std::nullopt);
  const auto judged = [&](const char* object) {
    return judge_pod(demands_of_attached(json::parse(object)), few, "q", "here").size();
  };
  EXPECT_EQ(judged(R"({"kind": "Service", "spec": {"type": "NodePort"}})"), 0U);
  EXPECT_EQ(judged(R"({"kind": "Service", "spec": {"type": "ClusterIP"}})"), 0U);
  EXPECT_EQ(judged(R"({"kind": "Ingress", "spec": {}})"), 1U);
  few.services = {"LoadBalancer"};
  EXPECT_THAT(fault_of(few).value_or(""), HasSubstr("services: 'LoadBalancer'"));
}

}  // namespace
}  // namespace argosy::access
