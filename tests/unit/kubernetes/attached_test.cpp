// SPDX-License-Identifier: Apache-2.0
// Goal: the services and ingresses of a run are there before its pod and go with its end, whatever
// is refused, lost or interrupted; and pods are made in the names of their owners where that is
// wanted.
// Method: an API server in memory; the test plays kubelet and time.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/unit/kubernetes/attached_fixture.hpp"

namespace argosy::backends {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::SizeIs;

struct attached_test : attached_fixture {
  std::vector<std::string> sent() const {
    std::vector<std::string> out;
    for (const auto& each : kube->requests) out.push_back(each.verb + " " + each.user);
    return out;
  }
};

TEST_F(attached_test, they_are_made_before_the_pod_and_go_when_the_run_has_ended) {
  config.rules.ingresses = {"apps.example.com", "tls", "public", {{"class", "nginx"}}};
  open();
  const auto run = start_with_objects(1);
  EXPECT_THAT(take_phases(), ElementsAre(run_phase::pending));
  ASSERT_THAT(kube->attached, SizeIs(2));
  EXPECT_THAT(kube->requests.back().path, HasSubstr("/pods"));
  const auto& service = kube->attached.at(service_of(run));
  EXPECT_EQ(service["metadata"]["labels"]["argosy.io/cluster"], "east");
  EXPECT_EQ(service["metadata"]["labels"]["argosy.io/control-plane"], "cp1");
  const auto& ingress = kube->attached.at(ingress_of(run));
  const auto host = "main-80-" + name_of(run) + "-ingress-0.jobs.apps.example.com";
  EXPECT_EQ(ingress["spec"]["rules"][0]["host"], host);
  EXPECT_EQ(ingress["spec"]["tls"][0]["hosts"][0], host);
  EXPECT_EQ(ingress["spec"]["tls"][0]["secretName"], "jobs-tls");
  EXPECT_EQ(ingress["metadata"]["annotations"]["class"], "nginx");
  EXPECT_EQ(ingress["spec"]["ingressClassName"], "public");
  set_status(run, running);
  EXPECT_THAT(kube->attached, SizeIs(2));
  set_status(run, succeeded);
  EXPECT_THAT(kube->attached, IsEmpty());
  EXPECT_TRUE(kube->pods.contains(at(run))) << "its output can still be read";
}

TEST_F(attached_test, one_that_is_refused_refuses_the_run_and_nothing_stays) {
  open();
  kube->faults.push_back({"POST", kube::answer{201, "{}"}, true});
  kube->faults.push_back({"POST", kube::answer{422, R"({"message":"Ingress is invalid: host"})"}});
  start_with_objects(1);
  EXPECT_THAT(take_phases(), ElementsAre(run_phase::failed));
  EXPECT_EQ(last.outcome.reason, model::reason_submission_refused) << "the node is not to blame";
  EXPECT_THAT(last.outcome.message, HasSubstr("of the job: Ingress is invalid: host"));
  EXPECT_THAT(kube->attached, IsEmpty());
  EXPECT_THAT(kube->pods, IsEmpty());
}

TEST_F(attached_test, one_that_is_put_off_is_tried_again) {
  open();
  kube->faults.push_back({"POST", kube::answer{500, "{}"}, true});
  const auto run = start_with_objects(1);
  EXPECT_THAT(kube->pods, IsEmpty()) << "it is not known whether the object is there";
  pass(1s);
  EXPECT_THAT(kube->attached, SizeIs(2)) << "the name that was taken is of this run";
  EXPECT_TRUE(kube->pods.contains(at(run)));
}

TEST_F(attached_test, a_name_that_somebody_else_has_refuses_the_run) {
  open();
  auto foreign = object(run_of(9), "Service", "x");
  kube->attached[service_of(run_of(1))] = foreign;
  start_with_objects(1);
  EXPECT_THAT(take_phases(), ElementsAre(run_phase::refused));
  EXPECT_THAT(last.outcome.message, HasSubstr("is taken by an object that is not of this run"));
  ASSERT_THAT(kube->attached, SizeIs(1));
  EXPECT_EQ(kube->attached.at(service_of(run_of(1))), foreign);
}

TEST_F(attached_test, a_name_that_may_not_be_looked_at_is_not_said_to_be_anothers) {
  open();
  kube->attached[service_of(run_of(1))] = object(run_of(9), "Service", "x");
  for (int i = 0; i < 40; ++i)
    kube->faults.push_back(
        {"GET", kube::answer{403, R"({"message":"services is forbidden: cannot get"})"}});
  start_with_objects(1);
  EXPECT_THAT(take_phases(), IsEmpty()) << "the right may be there soon";
  for (int i = 0; i < 90; ++i) pass(1s);
  EXPECT_THAT(take_phases(), ElementsAre(run_phase::refused));
  EXPECT_THAT(last.outcome.message, HasSubstr("cannot be looked at: services is forbidden"));
  EXPECT_EQ(last.outcome.category, "rights/services");
  EXPECT_THAT(kube->attached, SizeIs(1)) << "it is nobody's to delete";
}

TEST_F(attached_test, a_right_or_a_quota_of_such_objects_is_said_of_runs_that_have_some) {
  open();
  std::uint8_t serial = 0;
  for (const auto& [words, category] : std::vector<std::pair<const char*, const char*>>{
           {R"(services \"x\" is forbidden: exceeded quota: q, requested: services=1)",
            "quota/services"},
           {R"(services is forbidden: User \"agent\" cannot create resource \"services\")",
            "rights/services"},
           {R"(Internal error occurred: failed calling webhook \"w\": no route to host)",
            "server/services"},
           {R"(services \"x\" is forbidden: unable to create new content in namespace jobs )"
            "because it is being terminated",
            "namespace"}}) {
    const int status = std::string_view{category}.starts_with("server") ? 500 : 403;
    kube->faults.push_back(
        {"POST", kube::answer{status, std::string{R"({"message":")"} + words + "\"}"}});
    start_with_objects(++serial);
    EXPECT_THAT(take_phases(), ElementsAre(run_phase::refused)) << words;
    EXPECT_EQ(last.outcome.reason, model::reason_cluster_refused);
    EXPECT_EQ(last.outcome.category, category);
    EXPECT_THAT(last.outcome.message, HasSubstr("the service of the job: "));
    EXPECT_THAT(kube->attached, IsEmpty());
  }
}

TEST_F(attached_test, a_right_of_the_owner_is_said_of_his_runs_that_have_such_objects) {
  config.rules.impersonate_users = true;
  open();
  kube->faults.push_back(
      {"POST", kube::answer{403, R"({"message":"services is forbidden: User \"alice\" cannot )"
                                 R"(create resource \"services\""})"}});
  start_with_objects(1);
  EXPECT_THAT(take_phases(), ElementsAre(run_phase::refused));
  EXPECT_EQ(last.outcome.category, "rights/services@");
}

TEST_F(attached_test, a_run_that_is_stopped_meanwhile_has_no_pod_and_leaves_nothing) {
  open();
  kube->faults.push_back({"POST", fail(ec::timeout, "late"), true});
  const auto run = start_with_objects(1);
  stop(run);
  EXPECT_THAT(take_phases(), ElementsAre(run_phase::stopped));
  EXPECT_THAT(kube->attached, IsEmpty());
  EXPECT_THAT(kube->pods, IsEmpty());
}

TEST_F(attached_test, what_cannot_be_deleted_at_once_is_deleted_later) {
  open();
  const auto run = start_with_objects(1);
  kube->faults.push_back({"DELETE", fail(ec::unreachable, "refused")});
  set_status(run, succeeded);
  EXPECT_THAT(kube->attached, SizeIs(1));
  pass(1s);
  EXPECT_THAT(kube->attached, IsEmpty());
}

TEST_F(attached_test, a_new_agent_deletes_those_of_runs_that_are_over_and_keeps_the_others) {
  open();
  const auto run = start_with_objects(1);
  start_with_objects(2);
  set_status(run, running);
  backend.reset();
  auto foreign = object(run_of(3), "Service", "x");
  foreign["metadata"]["labels"]["argosy.io/cluster"] = "east";
  foreign["metadata"]["labels"]["argosy.io/control-plane"] = "cp2";
  kube->attached[service_of(run_of(3))] = foreign;
  kube->pods.erase(at(run_of(2)));
  open({run, run_of(2)});
  EXPECT_THAT(kube->attached, SizeIs(3)) << "two of the run, and one of another control plane";
  EXPECT_TRUE(kube->attached.contains(service_of(run)));
  set_status(run, succeeded);
  EXPECT_THAT(kube->attached, SizeIs(1));
}

TEST_F(attached_test, a_copy_in_another_namespace_is_not_that_of_the_run) {
  config.rules.namespaces = {"jobs", "team"};
  open();
  const auto run = start_with_objects(1);
  set_status(run, running);
  auto copy = kube->attached.at(service_of(run));
  copy["metadata"]["namespace"] = "team";
  const std::string at = "/api/v1/namespaces/team/services/" + name_of(run) + "-service-0";
  kube->attached[at] = copy;
  kube->list_again();
  backend->advance();
  set_status(run, succeeded);
  EXPECT_FALSE(kube->attached.contains(service_of(run)));
  EXPECT_TRUE(kube->attached.contains(at));
}

TEST_F(attached_test, requests_are_made_in_the_name_of_the_owner_where_that_is_wanted) {
  config.rules.impersonate_users = true;
  open();
  const auto run = start_with_objects(1);
  EXPECT_THAT(sent(), ElementsAre("POST alice", "POST alice", "POST alice"));
  EXPECT_THAT(kube->requests.back().groups, ElementsAre("staff")) << "no group of Kubernetes' own";
  set_status(run, running);
  kube->requests.clear();
  kube->faults.push_back({"DELETE", kube::answer{403, "{}"}});
  kube->pods_die_at_once = true;
  stop(run);
  EXPECT_THAT(sent(),
              ElementsAre("DELETE alice", "DELETE ", "GET ", "DELETE alice", "DELETE alice"))
      << "what the owner may not delete the agent deletes itself";
  EXPECT_THAT(kube->pods, IsEmpty());
}

TEST_F(attached_test, a_right_that_an_owner_lacks_is_said_of_his_runs) {
  config.rules.impersonate_users = true;
  open();
  auto run = with_objects(run_of(1));
  run.attached.clear();
  kube->faults.push_back(
      {"POST", kube::answer{403, R"({"message":"pods is forbidden: User \"alice\" cannot )"
                                 R"(create resource \"pods\""})"}});
  backend->start(std::move(run));
  backend->advance();
  EXPECT_THAT(take_phases(), ElementsAre(run_phase::refused));
  EXPECT_EQ(last.outcome.reason, model::reason_cluster_refused);
  EXPECT_EQ(last.outcome.category, "rights/@");
  auto agent = with_objects(run_of(2));
  agent.attached.clear();
  kube->faults.push_back(
      {"POST",
       kube::answer{403, R"({"message":"users \"alice\" is forbidden: User \"agent\" cannot )"
                         R"(impersonate resource \"users\""})"}});
  backend->start(std::move(agent));
  backend->advance();
  EXPECT_THAT(take_phases(), ElementsAre(run_phase::refused));
  EXPECT_EQ(last.outcome.reason, model::reason_cluster_refused);
  EXPECT_EQ(last.outcome.category, "rights/@") << "the agent may act for others";
}

TEST_F(attached_test, nothing_is_made_in_the_names_of_kubernetes_own_users) {
  config.rules.impersonate_users = true;
  open();
  for (const auto* name : {"", "system:admin"}) {
    auto run = with_objects(run_of(1));
    auto order = *run.order;
    order.owner = name;
    run.order = std::make_shared<const model::start_run>(order);
    backend->start(std::move(run));
    backend->advance();
    EXPECT_THAT(take_phases(), ElementsAre(run_phase::refused)) << name;
  }
  EXPECT_THAT(kube->requests, IsEmpty());
}

TEST_F(attached_test, without_names_of_certificates_and_classes_the_controller_chooses) {
  config.rules.ingresses = {"", "", "public", {{"kubernetes.io/ingress.class", "own"}}};
  open();
  const auto& made = kube->attached.at(ingress_of(start_with_objects(1)));
  EXPECT_EQ(made["spec"]["tls"].size(), 1U);
  EXPECT_FALSE(made["spec"]["tls"][0].contains("secretName"));
  EXPECT_FALSE(made["spec"].contains("ingressClassName")) << "the API server refuses both";
}

TEST_F(attached_test, where_the_pod_is_reached_is_told_when_it_runs_and_by_a_new_agent) {
  open();
  auto launch = with_objects(run_of(1));
  auto service = json::parse(launch.attached[0]);
  service["spec"] = {{"type", "NodePort"},
                     {"ports", {{{"port", 80}, {"nodePort", 30080}}, {{"port", 81}}}}};
  auto ingress = json::parse(launch.attached[1]);
  ingress["spec"]["rules"][0]["http"]["paths"] = {
      {{"backend", {{"service", {{"port", {{"number", 443}}}}}}}}};
  launch.attached = {service.dump(), ingress.dump()};
  backend->start(std::move(launch));
  backend->advance();
  const auto run = run_of(1);
  take_phases();
  EXPECT_THAT(last.pod.addresses, IsEmpty()) << "nothing answers there yet";
  set_status(run, R"({"phase":"Running","hostIP":"10.0.0.7"})");
  EXPECT_THAT(take_phases(), ElementsAre(run_phase::running));
  const auto host =
      kube->attached.at(ingress_of(run))["spec"]["rules"][0]["host"].get<std::string>();
  const auto told = ElementsAre(std::pair{80, std::string{"10.0.0.7:30080"}}, std::pair{443, host});
  EXPECT_THAT(last.pod.addresses, told);
  EXPECT_EQ(last.pod.uid, kube->pods.at(at(run))["metadata"].value("uid", "none"));

  backend.reset();
  open({run});
  ASSERT_FALSE(events.empty());
  EXPECT_THAT(events.back().pod.addresses, told);
}

TEST_F(attached_test, are_made_a_few_at_a_time_and_no_more_where_nobody_gets_any) {
  config.creates_max = 3;
  open();
  kube->silent = true;
  const auto last_run = start_with_objects(1), plain = run_of(9);
  for (std::uint8_t i = 2; i <= 6; ++i) start_with_objects(i);
  backend->start(launch_of(plain));
  backend->advance();
  EXPECT_EQ(kube->count("POST"), 4U) << "and a pod, which waits for no service";
  const auto refuse = std::exchange(kube->held, {}).front();
  refuse(kube::answer{403,
                      R"({"message":"services \"s\" is forbidden: exceeded quota: q, requested: )"
                      R"(services=1, used: services=2, limited: services=2"})"});
  backend->advance();
  EXPECT_EQ(take_phases(), std::vector(6, run_phase::refused));
  EXPECT_EQ(last.outcome.category, "quota/services");
  EXPECT_NE(last.run, last_run);
  EXPECT_EQ(kube->count("POST"), 4U);
}

TEST_F(attached_test, an_object_that_has_taken_the_name_stays) {
  open();
  const auto run = start_with_objects(1);
  set_status(run, running);
  auto other = object(run_of(9), "Service", name_of(run) + "-service-0");
  other["metadata"]["uid"] = "u-other";
  kube->attached[service_of(run)] = other;
  set_status(run, succeeded);
  for (int i = 0; i < 9; ++i) pass(1s);
  ASSERT_THAT(kube->attached, SizeIs(1));
  EXPECT_EQ(kube->attached.at(service_of(run)), other);
}

TEST_F(attached_test, an_object_that_may_not_be_of_the_run_is_looked_at_before_it_is_deleted) {
  open();
  auto other = object(run_of(9), "Service", name_of(run_of(1)) + "-service-0");
  other["metadata"]["uid"] = "u-other";
  kube->attached[service_of(run_of(1))] = other;
  kube->faults = {{"POST", fail(ec::timeout, "late")}};
  stop(start_with_objects(1));
  EXPECT_THAT(kube->attached, SizeIs(1)) << "and the ingress is gone";
  EXPECT_EQ(kube->count("DELETE"), 1U) << "the ingress";
}

}  // namespace
}  // namespace argosy::backends
