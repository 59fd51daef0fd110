// SPDX-License-Identifier: Apache-2.0
// Goal: pods get what the operator of the cluster says of queues, keep what they say themselves,
// and policies judge their jobs alone. Method: an API server in memory, and settings as an
// operator writes them.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "bins/argosy-agent/pod_defaults.hpp"
#include "runtime/model/agent_run.hpp"
#include "runtime/settings/load.hpp"
#include "tests/unit/kubernetes/kubernetes_fixture.hpp"

namespace argosy::backends {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

settings::sources section(const std::string& entries) {
  settings::sources from;
  from.file = {"a.yaml", "kubernetes:\n  podDefaults:\n" + entries};
  return from;
}

std::string mistake(const std::string& entries) {
  const auto read = settings::load_agent(section(entries));
  return read ? "accepted" : read.error().detail;
}

struct pod_defaults_test : kubernetes_fixture {
  void use(const std::string& entries) {
    const auto read = settings::load_agent(section(entries));
    ASSERT_TRUE(read) << read.error().detail;
    for (const auto& each : read->value.kubernetes.pod_defaults)
      config.defaults.push_back(agent::defaults_of(each));
  }

  model::run_key start_with(std::uint8_t serial, const json& more, const std::string& queue) {
    const auto run = run_of(serial);
    auto launch = launch_of(run);
    auto order = std::make_shared<model::start_run>(*launch.order);
    order->queue = model::queue_name{queue};
    launch.order = order;
    auto pod = manifest(run);
    pod.merge_patch(more);
    launch.pod = pod.dump();
    backend->start(std::move(launch));
    backend->advance();
    return run;
  }

  static constexpr const char* entries = R"(
    - queues: ["ann-*"]
      labels: {team: ann, tier: gold}
      annotations: {cluster-autoscaler.kubernetes.io/safe-to-evict: "false"}
      imagePullSecrets: [registry]
      runtimeClass: gvisor
      tolerations: [{key: batch, operator: Exists, effect: NoSchedule}]
      runAsUser: 1000
      fsGroup: 0
      dnsPolicy: None
      nameservers: [10.0.0.10]
      dnsOptions: {ndots: "2"}
    - annotations: {karpenter.sh/do-not-disrupt: "true"}
)";
};

TEST_F(pod_defaults_test, come_into_pods_of_the_queue_that_say_nothing) {
  use(entries);
  open();
  const auto& pod = kube->pods.at(at(start_with(1, json::object(), "ann-night")));
  EXPECT_EQ(pod["metadata"]["labels"]["team"], "ann");
  EXPECT_EQ(pod["metadata"]["annotations"]["cluster-autoscaler.kubernetes.io/safe-to-evict"],
            "false");
  const auto& spec = pod["spec"];
  EXPECT_EQ(spec["imagePullSecrets"], json::parse(R"([{"name": "registry"}])"));
  EXPECT_EQ(spec["runtimeClassName"], "gvisor");
  EXPECT_EQ(spec["tolerations"],
            json::parse(R"([{"key": "batch", "operator": "Exists", "effect": "NoSchedule"}])"));
  EXPECT_EQ(spec["securityContext"]["runAsUser"], 1000);
  EXPECT_EQ(spec["securityContext"]["fsGroup"], 0);
  EXPECT_EQ(spec["dnsPolicy"], "None");
  EXPECT_EQ(spec["dnsConfig"], json::parse(R"({"nameservers": ["10.0.0.10"],
    "options": [{"name": "ndots", "value": "2"}]})"));
  const auto& other = kube->pods.at(at(start_with(2, json::object(), "bob")));
  EXPECT_EQ(other["metadata"]["annotations"]["karpenter.sh/do-not-disrupt"], "true");
  EXPECT_FALSE(other["spec"].contains("runtimeClassName"));
}

TEST_F(pod_defaults_test, leave_what_the_pod_says_itself) {
  use(entries);
  open();
  const auto more = json::parse(R"({"metadata": {"labels": {"tier": "own"}},
    "spec": {"securityContext": {"runAsUser": 7}, "runtimeClassName": "own",
      "dnsPolicy": "Default", "imagePullSecrets": [{"name": "registry"}, {"name": "mine"}],
      "tolerations": [{"key": "x", "operator": "Exists"}]}})");
  const auto& pod = kube->pods.at(at(start_with(1, more, "ann-day")));
  EXPECT_EQ(pod["metadata"]["labels"]["tier"], "own");
  EXPECT_EQ(pod["metadata"]["labels"]["team"], "ann");
  EXPECT_EQ(pod["metadata"]["labels"]["argosy.io/run"], to_string(run_of(1)));
  const auto& spec = pod["spec"];
  EXPECT_EQ(spec["securityContext"]["runAsUser"], 7);
  EXPECT_EQ(spec["securityContext"]["fsGroup"], 0);
  EXPECT_EQ(spec["runtimeClassName"], "own");
  EXPECT_EQ(spec["dnsPolicy"], "Default");
  EXPECT_FALSE(spec.contains("dnsConfig"));
  EXPECT_EQ(spec["imagePullSecrets"].size(), 2U);
  EXPECT_EQ(spec["tolerations"].size(), 2U);
}

TEST_F(pod_defaults_test, are_not_judged_by_policies_and_open_no_door_to_jobs) {
  config.rules.policies.resize(1);
  config.rules.policies[0].runtime_classes = {"kata"};
  use("    - {runtimeClass: gvisor}\n");
  open();
  const auto run = start_with(1, json::object(), "q");
  EXPECT_EQ(kube->pods.at(at(run))["spec"]["runtimeClassName"], "gvisor");
  start_with(2, json::parse(R"({"spec": {"runtimeClassName": "gvisor"}})"), "q");
  take_phases();
  EXPECT_THAT(last.outcome.message, HasSubstr("podSpec.runtimeClassName: 'gvisor'"));
}

struct refused_defaults : pod_defaults_test {
  /// The server refuses the pod in these words, and then answers so to the pod without defaults.
  std::vector<run_phase> refuse(const std::string& why,
                                const std::optional<kube::answer>& bare = std::nullopt) {
    kube->faults.push_back({"POST", said(422, why)});
    if (bare) kube->faults.push_back({"POST", *bare});
    start_with(++serial, json::object(), "q");
    return take_phases();
  }
  static kube::answer said(int status, const std::string& why) {
    return {status, json{{"message", why}}.dump()};
  }
  std::uint8_t serial = 0;
};

TEST_F(refused_defaults, that_the_cluster_refuses_fail_no_job) {
  config.rules.priority_class = "batch";
  use("    - {runtimeClass: gvisor, runAsUser: 0, annotations: {a: b}}\n");
  open();
  for (const auto* why :
       {R"(pods "p" is forbidden: no PriorityClass with name batch was found)",
        R"(pods "p" is forbidden: pod rejected: RuntimeClass "gvisor" not found)",
        R"(pods "p" is forbidden: violates PodSecurity "restricted": runAsUser=0)",
        "admission webhook \"w\" denied the request: annotation a is not allowed"}) {
    EXPECT_THAT(refuse(why), ElementsAre(run_phase::refused)) << why;
    EXPECT_EQ(last.outcome.reason, model::reason_cluster_refused);
    EXPECT_EQ(last.outcome.category, model::refusal_to_all::name_space);
    EXPECT_THAT(last.outcome.message, HasSubstr(why));
    EXPECT_THAT(last.outcome.message, HasSubstr("kubernetes.podDefaults and "));
  }
  EXPECT_TRUE(kube->pods.empty()) << "it was only asked";
}

TEST_F(refused_defaults, leave_a_jobs_own_mistake_to_it) {
  use("    - {runAsUser: 1}\n");
  open();
  const std::string own = "Pod \"p\" is invalid: spec.volumes[0].name: Required value";
  EXPECT_THAT(refuse(own, said(422, own)), ElementsAre(run_phase::failed));
  EXPECT_EQ(last.outcome.reason, model::reason_submission_refused);
  EXPECT_EQ(last.outcome.message, own);
  EXPECT_THAT(refuse(own, said(403, R"(pods "p" is forbidden: exceeded quota: q, requested: )"
                                    "pods=1, used: pods=2, limited: pods=2")),
              ElementsAre(run_phase::refused));
  EXPECT_EQ(last.outcome.category, model::refusal_to_all::quota) << "that is known first";
}

TEST_F(refused_defaults, fail_no_job_where_a_policy_asks_for_others) {
  use("    - {labels: {team: x}}\n");
  open();
  const std::pair<const char*, const char*> policies[] = {
      {"admission webhook \"w\" denied the request: team x is not known",
       "admission webhook \"w\" denied the request: label team is required"},
      {R"(pods "p" is forbidden: violates PodSecurity "restricted": runAsUser=0)",
       R"(pods "p" is forbidden: violates PodSecurity "restricted": runAsNonRoot)"},
      {"Pod \"p\" is invalid: metadata.labels: Invalid value",
       R"(pods "p" is forbidden: ValidatingAdmissionPolicy 'v' denied request: no team)"}};
  for (const auto& [with, without] : policies) {
    EXPECT_THAT(refuse(with, said(422, without)), ElementsAre(run_phase::refused)) << with;
    EXPECT_EQ(last.outcome.reason, model::reason_cluster_refused);
    EXPECT_EQ(last.outcome.category, model::refusal_to_all::name_space);
    EXPECT_THAT(last.outcome.message, HasSubstr(with));
    EXPECT_THAT(last.outcome.message, HasSubstr(without));
    EXPECT_THAT(refuse(without, said(422, without)), ElementsAre(run_phase::refused));
    EXPECT_EQ(last.outcome.category, model::refusal_by_admission)
        << "the policy says it of the job's own pod, whatever is added";
  }
  const std::string own = "Pod \"p\" is invalid: spec.volumes[0].name: Required value";
  EXPECT_THAT(refuse(policies[0].first, said(422, own)), ElementsAre(run_phase::failed));
  EXPECT_EQ(last.outcome.message, own) << "no cluster would take it";
}

TEST_F(refused_defaults, are_in_doubt_until_the_server_answers) {
  use("    - {runAsUser: 1}\n");
  open();
  EXPECT_THAT(refuse("no", said(503, "busy")), ::testing::IsEmpty());
  pass(2s);
  EXPECT_THAT(take_phases(), ElementsAre(run_phase::refused));
  EXPECT_THAT(refuse("no", said(503, "busy")), ::testing::IsEmpty());
  stop(run_of(serial));
  EXPECT_THAT(take_phases(), ElementsAre(run_phase::stopped));
}

TEST_F(refused_defaults, are_in_doubt_only_where_there_are_some) {
  use("    - {queues: [other], runAsUser: 1}\n");
  open();
  EXPECT_THAT(refuse("no"), ElementsAre(run_phase::failed));
  EXPECT_EQ(kube->count("POST"), 1U);
}

TEST_F(pod_defaults_test, have_the_security_context_of_pods) {
  use(R"(
    - {fsGroup: 5, fsGroupChangePolicy: OnRootMismatch, supplementalGroups: [6, 7],
       runAsNonRoot: true, seccompProfile: Localhost/a/b.json}
)");
  open();
  const auto& context =
      kube->pods.at(at(start_with(1, json::object(), "q")))["spec"]["securityContext"];
  EXPECT_EQ(context, json::parse(R"({"fsGroup": 5, "fsGroupChangePolicy": "OnRootMismatch",
    "supplementalGroups": [6, 7], "runAsNonRoot": true,
    "seccompProfile": {"type": "Localhost", "localhostProfile": "a/b.json"}})"));
  const auto more = json::parse(R"({"spec": {"securityContext": {"runAsNonRoot": false,
    "seccompProfile": {"type": "RuntimeDefault"}}}})");
  const auto& other = kube->pods.at(at(start_with(2, more, "q")))["spec"]["securityContext"];
  EXPECT_EQ(other["runAsNonRoot"], false);
  EXPECT_EQ(other["seccompProfile"]["type"], "RuntimeDefault");
}

TEST(pod_default_settings, name_the_mistake_and_its_place) {
  EXPECT_THAT(mistake("    - {labels: {team: 'a b'}}\n"), HasSubstr("takes as no label"));
  EXPECT_THAT(mistake("    - {annotations: {'a/b/c': x}}\n"), HasSubstr("takes as no name"));
  EXPECT_THAT(mistake("    - {dnsPolicy: Cluster}\n"), HasSubstr("ClusterFirst"));
  EXPECT_THAT(mistake("    - {dnsPolicy: None}\n"), HasSubstr("nameservers have to be named"));
  EXPECT_THAT(mistake("    - {runAsUser: -1}\n"), HasSubstr("from 0 to 2147483647"));
  EXPECT_THAT(mistake("    - {runAsUser: 0, runAsNonRoot: true}\n"), HasSubstr("which is root"));
  EXPECT_THAT(mistake("    - {seccompProfile: Default}\n"), HasSubstr("RuntimeDefault, "));
  EXPECT_THAT(mistake("    - {fsGroupChangePolicy: Never}\n"), HasSubstr("OnRootMismatch"));
  EXPECT_THAT(mistake("    - {supplementalGroups: [a]}\n"), HasSubstr("supplementalGroups"));
  EXPECT_THAT(mistake("    - {fsGroup: 1}\n    - {fsGroup: 2}\n"), HasSubstr("move it to the end"));
  EXPECT_THAT(mistake("    - {securitycontext: {}}\n"), HasSubstr("securitycontext"));
  EXPECT_THAT(mistake("    - {runtimeClass: Bad_RC}\n"), HasSubstr("an object of Kubernetes"));
  EXPECT_THAT(mistake("    - {imagePullSecrets: [a, 'x y']}\n"), HasSubstr("imagePullSecrets"));
  EXPECT_THAT(mistake("    - {imagePullSecrets: ['']}\n"), HasSubstr("empty name"));
  EXPECT_THAT(mistake("    - {tolerations: [{key: a, operator: Exists}, {key: 'a b'}]}\n"),
              HasSubstr("tolerations: item 2: key is 'a b', which is no name of a label"));
}

}  // namespace
}  // namespace argosy::backends
