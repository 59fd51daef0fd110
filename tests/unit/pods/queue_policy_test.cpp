// SPDX-License-Identifier: Apache-2.0
// Goal: a submission whose pods or namespace the policy of its queue does not allow is refused with
// the place and the key, whether or not an equal pod was taken for another queue before.
// Method: a valid request is changed in one place and decoded under policies.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/unit/codec/submit_fixture.hpp"

namespace argosy::codec {
namespace {

using ::testing::HasSubstr;

submit_limits limits_with(std::vector<access::pod_policy> policies) {
  submit_limits limits;
  limits.pod_policies = std::move(policies);
  return limits;
}

std::string error_of(const result<submission>& decoded) {
  return decoded ? "" : decoded.error().detail;
}

void mount_root(core::PodSpec& pod) {
  auto& volume = *pod.add_volumes();
  volume.set_name("root");
  volume.mutable_volumesource()->mutable_hostpath()->set_path("/");
}

TEST(pod_policy_of_queues, refuses_what_baseline_does_where_nothing_is_said) {
  submit_bench bench;
  const std::vector<std::pair<std::function<void(core::PodSpec&)>, std::string>> rows{
      {[](auto& pod) { mount_root(pod); }, "pod_spec.volumes[0].hostPath: '/' is a path"},
      {[](auto& pod) { pod.set_hostnetwork(true); }, "pod_spec.hostNetwork: 'network'"},
      {[](auto& pod) { pod.set_hostpid(true); }, "pod_spec.hostPID: 'pid'"},
      {[](auto& pod) { pod.set_hostipc(true); }, "pod_spec.hostIPC: 'ipc'"},
      {[](auto& pod) { pod.set_serviceaccountname("agent"); }, "'agent' is a service account"},
      {[](auto& pod) { pod.set_serviceaccount("agent"); }, "'agent' is a service account"},
      {[](auto& pod) { pod.mutable_containers(0)->add_ports()->set_hostport(80); },
       "containers[0].ports[0].hostPort: '80'"},
      {[](auto& pod) {
         pod.mutable_containers(0)->mutable_securitycontext()->set_privileged(true);
       },
       "containers[0].securityContext.privileged: 'true'"},
      {[](auto& pod) {
         *pod.add_initcontainers() = container("init");
         pod.mutable_initcontainers(0)->mutable_securitycontext()->mutable_capabilities()->add_add(
             "SYS_ADMIN");
       },
       "initContainers[0].securityContext.capabilities.add: 'SYS_ADMIN'"},
  };
  for (const auto& [change, part] : rows) {
    const auto decoded = bench.decode_changed(
        [&](auto& r) { change(*r.mutable_job_request_items(0)->mutable_pod_spec()); });
    ASSERT_FALSE(decoded) << part;
    EXPECT_EQ(decoded.error().code, ec::invalid_argument);
    EXPECT_THAT(decoded.error().detail, HasSubstr("job_request_items[0]."));
    EXPECT_THAT(decoded.error().detail, HasSubstr(part));
    EXPECT_THAT(decoded.error().detail, HasSubstr("api.podPolicies of argosyd"));
  }
}

TEST(pod_policy_of_queues, is_asked_for_every_queue_whatever_was_taken_before) {
  access::pod_policy open{{"trusted"}};
  open.level = access::pod_level::privileged;
  submit_bench bench{limits_with({open})};
  const auto submit_to = [&](const std::string& queue) {
    return error_of(bench.decode_changed([&](auto& r) {
      r.set_queue(queue);
      mount_root(*r.mutable_job_request_items(0)->mutable_pod_spec());
    }));
  };
  EXPECT_EQ(submit_to("trusted"), "");
  EXPECT_THAT(submit_to("research"), HasSubstr("which queue 'research' has"));
  EXPECT_EQ(submit_to("trusted"), "");
}

TEST(pod_policy_of_queues, looks_at_namespaces_and_annotations) {
  access::pod_policy own{{"research"}};
  own.namespaces = {"default"};
  submit_bench bench{limits_with({own})};
  EXPECT_TRUE(bench.decode_changed([](auto&) {}));
  EXPECT_THAT(error_of(bench.decode_changed(
                  [](auto& r) { r.mutable_job_request_items(0)->set_namespace_("kube-system"); })),
              HasSubstr("job_request_items[0].namespace: 'kube-system' is a namespace that queue "
                        "'research' may not use"));
  EXPECT_THAT(
      error_of(bench.decode_changed([](auto& r) {
        (*r.mutable_job_request_items(0)
              ->mutable_annotations())["container.apparmor.security.beta.kubernetes.io/main"] =
            "unconfined";
      })),
      HasSubstr("job_request_items[0].annotations["));
}

TEST(pod_policy_of_queues, without_namespaces_leaves_jobs_that_name_none_that_of_the_clusters) {
  submit_bench bench;
  const auto unnamed = [](auto& r) {
    r.mutable_job_request_items(0)->clear_namespace_();
    r.mutable_job_request_items(0)->set_client_id("c");
  };
  EXPECT_EQ(bench.decode_changed(unnamed).error().detail,
            "job_request_items[0].namespace: is missing; name one, for example default");
  bench.context.name_space = "jobs";
  const auto first = bench.decode_changed(unnamed);
  ASSERT_TRUE(first) << first.error().detail;
  EXPECT_EQ(first->jobs.at(0)->name_space, "jobs");
  EXPECT_EQ(first->name_space_taken, "jobs");
  bench.context.name_space = "default";
  const auto again = bench.decode_changed(unnamed);
  ASSERT_TRUE(again);
  EXPECT_EQ(again->jobs.at(0)->name_space, "default");
  EXPECT_EQ(again->jobs.at(0)->body_hash, first->jobs.at(0)->body_hash)
      << "a request that is repeated is the same, although the clusters have changed";
  const auto named =
      bench.decode_changed([](auto& r) { r.mutable_job_request_items(0)->set_client_id("c"); });
  ASSERT_TRUE(named);
  EXPECT_EQ(named->name_space_taken, "");
  EXPECT_EQ(named->jobs.at(0)->body_hash, first->jobs.at(0)->body_hash)
      << "argosyctl named it itself before";
}

TEST(pod_policy_of_queues, with_one_namespace_gives_it_to_jobs_that_name_none) {
  access::pod_policy own{{"research"}};
  own.namespaces = {"ann"};
  submit_bench bench{limits_with({own})};
  bench.context.name_space = "jobs";
  const auto unnamed = [](auto& r) { r.mutable_job_request_items(0)->clear_namespace_(); };
  const auto got = bench.decode_changed(unnamed);
  ASSERT_TRUE(got) << got.error().detail;
  EXPECT_EQ(got->jobs.at(0)->name_space, "ann");
  EXPECT_EQ(got->name_space_taken, "ann");
  own.namespaces = {"team-*"};
  submit_bench pattern{limits_with({own})};
  pattern.context.name_space = "jobs";
  EXPECT_THAT(error_of(pattern.decode_changed(unnamed)),
              HasSubstr("job_request_items[0].namespace: 'jobs' is a namespace that queue"));
}

TEST(pod_policy_of_queues, what_a_pod_leaves_open_is_left_to_the_agent) {
  access::pod_policy strict;
  strict.level = access::pod_level::restricted;
  submit_bench bench{limits_with({strict})};
  EXPECT_TRUE(bench.decode_changed([](auto&) {}));
  EXPECT_THAT(
      error_of(bench.decode_changed([](auto& r) {
        auto& pod = *r.mutable_job_request_items(0)->mutable_pod_spec();
        pod.mutable_containers(0)->mutable_securitycontext()->set_allowprivilegeescalation(true);
      })),
      HasSubstr("allowPrivilegeEscalation: 'true'"));
  EXPECT_THAT(error_of(bench.decode_changed([](auto& r) {
                r.mutable_job_request_items(0)
                    ->mutable_pod_spec()
                    ->mutable_securitycontext()
                    ->set_runasuser(0);
              })),
              HasSubstr("securityContext.runAsUser: '0'"));
  EXPECT_THAT(error_of(bench.decode_changed([](auto& r) {
                auto& pod = *r.mutable_job_request_items(0)->mutable_pod_spec();
                pod.mutable_securitycontext()->set_runasnonroot(false);
              })),
              HasSubstr("securityContext.runAsNonRoot: 'false'"));
}

TEST(pod_policy_of_queues, looks_at_services_and_ingresses_of_every_member) {
  access::pod_policy few;
  few.services = {"Headless"};
  submit_bench bench{limits_with({few})};
  const auto refused = [&](const std::function<void(api::JobSubmitRequestItem&)>& change) {
    auto request = valid_request(2);
    for (auto& item : *request.mutable_job_request_items()) make_gang(item, "g", "2");
    change(*request.mutable_job_request_items(1));
    return error_of(bench.decode(request));
  };
  EXPECT_EQ(refused([](auto& item) { item.add_services()->set_type(api::Headless); }), "");
  EXPECT_THAT(refused([](auto& item) { item.add_services()->set_type(api::NodePort); }),
              HasSubstr("job_request_items[1].services[0].type: 'NodePort'"));
  EXPECT_THAT(refused([](auto& item) { item.add_ingress()->add_ports(80); }),
              HasSubstr("job_request_items[1].ingress[0]: 'Ingress' is a way to reach the pod"));
}

TEST(pod_policy_of_queues, looks_at_annotations_of_ingresses) {
  submit_bench bench;
  EXPECT_THAT(error_of(bench.decode_changed([](auto& r) {
                auto& ingress = *r.mutable_job_request_items(0)->add_ingress();
                ingress.add_ports(80);
                (*ingress.mutable_annotations())["nginx.ingress.kubernetes.io/server-snippet"] =
                    "x";
              })),
              HasSubstr("job_request_items[0].ingress[0].annotations["));
}

}  // namespace
}  // namespace argosy::codec
