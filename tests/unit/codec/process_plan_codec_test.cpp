// SPDX-License-Identifier: Apache-2.0
// Goal: a process gets the command, environment and identity that the pod spec gives its container.
// Method: specifications are built as protobuf, encoded, and read as plans.
#include "messages/codec/process_plan_codec.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <functional>

#include "messages/proto/argosy/log.pb.h"
#include "tests/unit/codec/model_fixture.hpp"

namespace argosy::codec {
namespace {

using ::testing::Contains;
using ::testing::ElementsAre;
using ::testing::Pair;

model::process_plan plan_of(const std::function<void(log::v1::JobSpec&)>& change) {
  log::v1::JobSpec spec;
  spec.mutable_pod_spec()->add_containers()->add_command("run");
  change(spec);
  model::start_run order;
  order.run = {id_of(1), 2};
  order.queue = "research";
  order.job_set = "set";
  order.spec = std::make_shared<const std::string>(spec.SerializeAsString());
  auto plan = decode_process_plan(order);
  EXPECT_TRUE(plan);
  return plan.value_or(model::process_plan{});
}

auto& first_container(log::v1::JobSpec& spec) {
  return *spec.mutable_pod_spec()->mutable_containers(0);
}

void add_env(log::v1::JobSpec& spec, const std::string& name, const std::string& value) {
  auto& entry = *first_container(spec).add_env();
  entry.set_name(name);
  entry.set_value(value);
}

TEST(process_plan_codec, tells_a_member_of_a_gang_and_of_an_array_who_it_is) {
  log::v1::JobSpec spec;
  spec.mutable_pod_spec()->add_containers()->add_command("run");
  first_container(spec).add_args("part-$(ARGOSY_ARRAY_INDEX)");
  (*spec.mutable_annotations())["argosy.io/array"] = "7/100";
  model::start_run order;
  order.run = {id_of(1), 2};
  order.queue = "research";
  order.gang_nodes = {"n4", "n2"};
  order.gang_rank = 1;
  order.spec = std::make_shared<const std::string>(spec.SerializeAsString());
  const auto plan = decode_process_plan(order);
  ASSERT_TRUE(plan);
  for (const auto& [name, value] :
       std::vector<std::pair<std::string, std::string>>{{"ARGOSY_ARRAY_INDEX", "7"},
                                                        {"ARGOSY_ARRAY_COUNT", "100"},
                                                        {"ARGOSY_GANG_RANK", "1"},
                                                        {"ARGOSY_GANG_SIZE", "2"},
                                                        {"ARGOSY_GANG_HOSTS", "n4,n2"},
                                                        {"ARGOSY_GANG_LEADER", "n4"}})
    EXPECT_THAT(plan->env, Contains(Pair(name, value)));
  EXPECT_EQ(plan->argv.back(), "part-7");
}

TEST(process_plan_codec, command_args_and_folder) {
  const auto plan = plan_of([](auto& spec) {
    first_container(spec).add_args("a b");
    first_container(spec).add_args("");
    first_container(spec).set_workingdir("sub");
  });
  EXPECT_THAT(plan.argv, ElementsAre("run", "a b", ""));
  EXPECT_EQ(plan.working_dir, "sub");
  EXPECT_EQ(plan.obstacle, "");
  EXPECT_FALSE(plan.user || plan.group || plan.non_root);
}

TEST(process_plan_codec, variables_of_the_job) {
  const auto plan = plan_of([](auto& spec) {
    (*spec.mutable_annotations())["armadaproject.io/gangId"] = "g";
    (*spec.mutable_annotations())["armadaproject.io/gangCardinality"] = "3";
  });
  EXPECT_THAT(plan.env, Contains(Pair("ARGOSY_JOB_ID", to_string(id_of(1)))));
  EXPECT_THAT(plan.env, Contains(Pair("ARGOSY_QUEUE", "research")));
  EXPECT_THAT(plan.env, Contains(Pair("ARGOSY_JOB_SET", "set")));
  EXPECT_THAT(plan.env, Contains(Pair("ARGOSY_GANG_ID", "g")));
  EXPECT_THAT(plan.env, Contains(Pair("ARMADA_JOB_ID", to_string(id_of(1)))));
  EXPECT_THAT(plan.env, Contains(Pair("ARMADA_QUEUE", "research")));
  EXPECT_THAT(plan.env, Contains(Pair("ARMADA_JOB_SET_ID", "set")));
  EXPECT_THAT(plan.env, Contains(Pair("ARMADA_GANG_ID", "g")));
  EXPECT_THAT(plan.env, Contains(Pair("ARMADA_GANG_CARDINALITY", "3")));
  EXPECT_THAT(plan.annotations, Contains(Pair("armadaproject.io/gangId", "g")));
}

TEST(process_plan_codec, references_are_expanded_in_order) {
  const auto plan = plan_of([](auto& spec) {
    add_env(spec, "A", "1");
    add_env(spec, "B", "$(A)$(C)");
    add_env(spec, "C", "3");
    add_env(spec, "A", "new");
    first_container(spec).add_args("$(A) $(B) $$(A) $(NONE) $ $(open");
    first_container(spec).add_args("$(ARMADA_QUEUE)");
  });
  EXPECT_THAT(plan.env, Contains(Pair("A", "new")));
  EXPECT_THAT(plan.env, Contains(Pair("B", "1$(C)")));
  EXPECT_THAT(plan.argv, ElementsAre("run", "new 1$(C) $(A) $(NONE) $ $(open", "research"));
}

TEST(process_plan_codec, identity) {
  const auto plan = plan_of([](auto& spec) {
    auto& pod = *spec.mutable_pod_spec()->mutable_securitycontext();
    pod.set_runasuser(1000);
    pod.set_runasgroup(1001);
    pod.set_runasnonroot(true);
    first_container(spec).mutable_securitycontext()->set_runasuser(2000);
  });
  EXPECT_EQ(plan.user, 2000U);
  EXPECT_EQ(plan.group, 1001U);
  EXPECT_TRUE(plan.non_root);
}

TEST(process_plan_codec, names_what_a_process_cannot_be) {
  EXPECT_EQ(plan_of([](auto& spec) { spec.mutable_pod_spec()->add_volumes(); }).obstacle,
            "podSpec.volumes");
  EXPECT_EQ(plan_of([](auto& spec) { spec.clear_pod_spec(); }).obstacle, "podSpec.containers[0]");
  EXPECT_EQ(plan_of([](auto& spec) { add_env(spec, "a=b", "c"); }).obstacle,
            "podSpec.containers[0].env[0].name");
  EXPECT_EQ(plan_of([](auto& spec) {
              first_container(spec).mutable_securitycontext()->set_runasuser(-1);
            }).obstacle,
            "podSpec.securityContext");
}

TEST(process_plan_codec, is_obstructed_by_what_others_are_to_reach) {
  EXPECT_EQ(plan_of([](auto& spec) { spec.add_services()->add_ports(80); }).obstacle, "services");
  EXPECT_EQ(plan_of([](auto& spec) { spec.add_ingress()->add_ports(80); }).obstacle, "ingress");
}

TEST(process_plan_codec, refuses_what_is_no_specification) {
  model::start_run order;
  order.spec = std::make_shared<const std::string>("\xff\xff");
  EXPECT_FALSE(decode_process_plan(order));
  EXPECT_FALSE(decode_process_plan(order, model::plan_contents::annotations));
}

TEST(process_plan_codec, gives_annotations_alone_where_no_more_is_wanted) {
  const auto plan = decode_process_plan({}, model::plan_contents::annotations);
  ASSERT_TRUE(plan);
  EXPECT_EQ(plan->obstacle, "") << "that there is no container does not matter then";
}

}  // namespace
}  // namespace argosy::codec
