// SPDX-License-Identifier: Apache-2.0
// Goal: a policy's lists say what is allowed, the right entry holds for a queue, and sentences name
// the field, the level, the queue and the key.
// Method: specs of a line or two are judged under policies.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

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

}  // namespace
}  // namespace argosy::access
