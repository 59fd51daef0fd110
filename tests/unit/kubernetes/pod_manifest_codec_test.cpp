// SPDX-License-Identifier: Apache-2.0
// Goal: a job's specification becomes the pod that the user wrote, named and labelled for the run,
// and with what Argosy alone decides.
// Method: specifications are built as protobuf, encoded, and read as manifests.
#include "messages/codec/pod_manifest_codec.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <functional>
#include <nlohmann/json.hpp>

#include "messages/codec/api/job_codec.hpp"
#include "messages/proto/argosy/log.pb.h"
#include "tests/unit/codec/model_fixture.hpp"

namespace argosy::codec {
namespace {

using nlohmann::json;

model::start_run order_of(const std::function<void(log::v1::JobSpec&)>& change) {
  log::v1::JobSpec spec;
  auto& container = *spec.mutable_pod_spec()->add_containers();
  container.set_name("main");
  container.set_image("alpine:3.20.0");
  container.add_command("true");
  (*container.mutable_resources()->mutable_requests())["memory"].set_string("64Mi");
  (*container.mutable_resources()->mutable_limits())["memory"].set_string("64Mi");
  change(spec);
  model::start_run order;
  order.run = {id_of(1), 2};
  order.queue = "research";
  order.job_set = "set 1";
  order.name_space = "jobs";
  order.owner = "alice";
  order.node = "n1";
  order.requests = {{"memory", 64 << 20}};
  order.grace_seconds = 5;
  order.deadline_seconds = 600;
  order.spec = std::make_shared<const std::string>(spec.SerializeAsString());
  return order;
}

json manifest_of(const model::start_run& order) {
  const auto made = make_job_manifests(order);
  EXPECT_TRUE(made) << made.error().detail;
  return json::parse(made ? made->pod : "{}");
}

json manifest_of(const std::function<void(log::v1::JobSpec&)>& change) {
  return manifest_of(order_of(change));
}

/// The values of a variable, in the order in which they stand.
std::vector<std::string> variable(const json& container, const std::string& name) {
  std::vector<std::string> out;
  for (const auto& each : container["env"])
    if (each["name"] == name) out.push_back(each.value("value", ""));
  return out;
}

TEST(pod_manifest_codec, the_pod_is_named_and_labelled_for_its_run) {
  const auto pod = manifest_of([](auto& spec) {
    (*spec.mutable_labels())["app"] = "mine";
    (*spec.mutable_labels())["argosy.io/run"] = "stolen";
    (*spec.mutable_labels())["argosy.io/queue"] = "other";
    (*spec.mutable_annotations())["note"] = "hello";
  });
  const auto job = to_string(id_of(1));
  EXPECT_EQ(pod["apiVersion"], "v1");
  EXPECT_EQ(pod["kind"], "Pod");
  const auto& meta = pod["metadata"];
  EXPECT_EQ(meta["name"], "armada-" + job + "-1") << "the second run has a name of its own";
  EXPECT_EQ(meta["namespace"], "jobs");
  EXPECT_EQ(meta["labels"], json({{"app", "mine"},
                                  {"argosy.io/run", job + "-2"},
                                  {"armada_job_id", job},
                                  {"armada_job_run_id", run_id({id_of(1), 2})},
                                  {"armada_pod_number", "0"},
                                  {"armada_pod_count", "1"},
                                  {"armada_queue_id", "research"}}));
  EXPECT_EQ(meta["annotations"], json({{"note", "hello"},
                                       {"armada_jobset_id", "set 1"},
                                       {"armada_owner", "alice"},
                                       {"argosy.io/queue", "research"}}));
}

TEST(pod_manifest_codec, the_first_run_has_the_name_that_armada_gives) {
  EXPECT_EQ(pod_name({id_of(1), 1}), "armada-" + to_string(id_of(1)) + "-0");
}

TEST(pod_manifest_codec, a_queue_whose_name_is_no_label_stands_in_an_annotation_alone) {
  auto order = order_of([](auto&) {});
  order.queue = "ends-with-";
  const auto pod = manifest_of(order);
  EXPECT_FALSE(pod["metadata"]["labels"].contains("armada_queue_id"));
  EXPECT_EQ(pod["metadata"]["annotations"]["argosy.io/queue"], "ends-with-");
}

TEST(pod_manifest_codec, what_argosy_decides_is_not_the_users) {
  const auto pod = manifest_of([](auto& spec) {
    auto& pod_spec = *spec.mutable_pod_spec();
    pod_spec.set_restartpolicy("Always");
    pod_spec.set_nodename("elsewhere");
    pod_spec.set_priorityclassname("armada-default");
    pod_spec.set_priority(7);
    pod_spec.set_activedeadlineseconds(1);
    pod_spec.set_terminationgraceperiodseconds(1);
  });
  const auto& spec = pod["spec"];
  EXPECT_EQ(spec["restartPolicy"], "Never");
  EXPECT_EQ(spec["activeDeadlineSeconds"], 600);
  EXPECT_EQ(spec["terminationGracePeriodSeconds"], 5);
  for (const auto* gone : {"nodeName", "priorityClassName", "priority"})
    EXPECT_FALSE(spec.contains(gone)) << gone;
}

TEST(pod_manifest_codec, the_rest_is_as_the_user_wrote_it) {
  const auto pod = manifest_of([](auto& spec) {
    auto& pod_spec = *spec.mutable_pod_spec();
    pod_spec.set_automountserviceaccounttoken(false);
    (*pod_spec.mutable_nodeselector())["zone"] = "z1";
    auto& toleration = *pod_spec.add_tolerations();
    toleration.set_key("gpu");
    toleration.set_operator_("Exists");
    pod_spec.mutable_containers(0)->mutable_securitycontext()->set_runasuser(0);
  });
  const auto& spec = pod["spec"];
  EXPECT_EQ(spec["automountServiceAccountToken"], false);
  EXPECT_EQ(spec["nodeSelector"], json({{"zone", "z1"}}));
  EXPECT_EQ(spec["tolerations"], json({{{"key", "gpu"}, {"operator", "Exists"}}}));
  const auto& container = spec["containers"][0];
  EXPECT_EQ(container["image"], "alpine:3.20.0");
  EXPECT_EQ(container["command"], json({"true"}));
  EXPECT_EQ(container["resources"]["limits"]["memory"], "64Mi");
  EXPECT_EQ(container["securityContext"]["runAsUser"], 0);
}

TEST(pod_manifest_codec, every_container_knows_its_job) {
  const auto pod = manifest_of([](auto& spec) {
    spec.mutable_pod_spec()->add_initcontainers()->set_name("fetch");
    auto& own = *spec.mutable_pod_spec()->mutable_containers(0)->add_env();
    own.set_name("ARMADA_QUEUE");
    own.set_value("mine");
    auto& other = *spec.mutable_pod_spec()->mutable_containers(0)->add_env();
    other.set_name("JOB");
    other.set_value("$(ARMADA_JOB_ID)");
    (*spec.mutable_annotations())["armadaproject.io/gangId"] = "g";
  });
  const auto& main = pod["spec"]["containers"][0];
  const std::vector<std::string> job{to_string(id_of(1))};
  EXPECT_EQ(variable(main, "ARMADA_JOB_ID"), job);
  EXPECT_EQ(variable(main, "ARMADA_JOB_SET_ID"), std::vector<std::string>{"set 1"});
  EXPECT_EQ(variable(main, "ARMADA_GANG_ID"), std::vector<std::string>{"g"});
  EXPECT_EQ(variable(main, "ARMADA_QUEUE"), std::vector<std::string>{"mine"});
  EXPECT_EQ(main["env"].back()["name"], "JOB") << "it refers to what stands before it";
  EXPECT_EQ(variable(pod["spec"]["initContainers"][0], "ARMADA_JOB_ID"), job);
}

TEST(pod_manifest_codec, a_retry_with_more_memory_gives_it_to_the_first_container) {
  auto order = order_of([](auto& spec) {
    auto& second = *spec.mutable_pod_spec()->add_containers();
    (*second.mutable_resources()->mutable_requests())["memory"].set_string("36Mi");
  });
  order.requests = {{"memory", 200 << 20}};
  const auto pod = manifest_of(order);
  const auto& resources = pod["spec"]["containers"][0]["resources"];
  EXPECT_EQ(resources["requests"]["memory"], "164Mi");
  EXPECT_EQ(resources["limits"]["memory"], "164Mi");
}

TEST(pod_manifest_codec, an_order_without_namespace_or_with_a_broken_specification_fails) {
  auto order = order_of([](auto&) {});
  order.name_space.clear();
  EXPECT_EQ(make_job_manifests(order).error().code, ec::invalid_argument);
  order.name_space = "jobs";
  order.spec = std::make_shared<const std::string>("\x0a\xff");
  EXPECT_EQ(make_job_manifests(order).error().code, ec::corrupt);
}

}  // namespace
}  // namespace argosy::codec
