// SPDX-License-Identifier: Apache-2.0
// Goal: services and ingresses are derived from a job as Armada derives them.
// Method: specifications are built as protobuf, encoded, and read as manifests.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <functional>
#include <nlohmann/json.hpp>

#include "messages/codec/pod_manifest_codec.hpp"
#include "messages/proto/argosy/log.pb.h"
#include "tests/unit/codec/model_fixture.hpp"

namespace argosy::codec {
namespace {

using nlohmann::json;

std::vector<json> attached_of(const std::function<void(log::v1::JobSpec&)>& change) {
  log::v1::JobSpec spec;
  auto& pod = *spec.mutable_pod_spec();
  auto& container = *pod.add_containers();
  container.set_name("main");
  container.add_ports()->set_containerport(80);
  auto& secure = *container.add_ports();
  secure.set_containerport(443);
  secure.set_protocol("UDP");
  auto& of_node = *container.add_ports();
  of_node.set_containerport(22);
  of_node.set_hostport(22);
  for (const auto* restart : {"", "Always"}) {
    auto& helper = *pod.add_initcontainers();
    helper.set_name(*restart == 0 ? "init" : "side");
    helper.add_ports()->set_containerport(*restart == 0 ? 90 : 91);
    if (*restart != 0) helper.set_restartpolicy(restart);
  }
  change(spec);
  model::start_run order;
  order.run = {id_of(1), 1};
  order.queue = "research";
  order.job_set = "set 1";
  order.name_space = "jobs";
  order.owner = "alice";
  order.spec = std::make_shared<const std::string>(spec.SerializeAsString());
  const auto made = make_job_manifests(order);
  EXPECT_TRUE(made) << made.error().detail;
  std::vector<json> out;
  if (made)
    for (const auto& each : made->attached) out.push_back(json::parse(each));
  return out;
}

void add_service(log::v1::JobSpec& spec, api::ServiceType type,
                 const std::vector<std::uint32_t>& ports) {
  auto& service = *spec.add_services();
  service.set_type(type);
  for (const auto port : ports) service.add_ports(port);
}

api::IngressConfig& add_ingress(log::v1::JobSpec& spec, const std::vector<std::uint32_t>& ports) {
  auto& ingress = *spec.add_ingress();
  for (const auto port : ports) ingress.add_ports(port);
  return ingress;
}

const std::string pod = "armada-" + to_string(id_of(1)) + "-0";

TEST(attached_manifest, services_are_named_and_labelled_and_have_the_ports_that_are_there) {
  const auto made = attached_of([](auto& spec) {
    add_service(spec, api::NodePort, {443, 80, 7});
    add_service(spec, api::NodePort, {22, 90});
    add_service(spec, api::Headless, {91});
  });
  ASSERT_EQ(made.size(), 2U) << "ports of the node, of init containers and of nobody do not count";
  const auto& first = made[0];
  EXPECT_EQ(first["kind"], "Service");
  const auto job = to_string(id_of(1));
  EXPECT_EQ(first["metadata"],
            json({{"name", pod + "-service-0"},
                  {"namespace", "jobs"},
                  {"labels",
                   {{"armada_job_id", job},
                    {"armada_queue_id", "research"},
                    {"argosy.io/run", job + "-1"}}},
                  {"annotations", {{"armada_jobset_id", "set 1"}, {"armada_owner", "alice"}}}}));
  EXPECT_EQ(first["spec"],
            json({{"type", "NodePort"},
                  {"selector", {{"armada_job_id", job}, {"argosy.io/run", job + "-1"}}},
                  {"ports",
                   {{{"name", "main-80"}, {"protocol", "TCP"}, {"port", 80}},
                    {{"name", "main-443"}, {"protocol", "UDP"}, {"port", 443}}}}}));
  EXPECT_EQ(made[1]["metadata"]["name"], pod + "-service-1");
  EXPECT_EQ(made[1]["spec"]["type"], "ClusterIP");
  EXPECT_EQ(made[1]["spec"]["clusterIP"], "None");
  EXPECT_EQ(made[1]["spec"]["ports"][0]["name"], "side-91");
}

TEST(attached_manifest, an_ingress_has_a_rule_for_each_port_and_a_service_behind_it) {
  const auto made = attached_of([](auto& spec) {
    auto& ingress = add_ingress(spec, {80, 443});
    ingress.set_tls_enabled(true);
    (*ingress.mutable_annotations())["class"] = "nginx";
    (*ingress.mutable_annotations())["armada_owner"] = "eve";
  });
  ASSERT_EQ(made.size(), 2U);
  EXPECT_EQ(made[0]["spec"]["clusterIP"], "None");
  const auto& ingress = made[1];
  EXPECT_EQ(ingress["apiVersion"], "networking.k8s.io/v1");
  EXPECT_EQ(ingress["metadata"]["name"], pod + "-ingress-0");
  EXPECT_EQ(ingress["metadata"]["annotations"]["class"], "nginx");
  EXPECT_EQ(ingress["metadata"]["annotations"]["armada_owner"], "alice");
  ASSERT_EQ(ingress["spec"]["rules"].size(), 2U);
  EXPECT_EQ(ingress["spec"]["rules"][1]["host"], "main-443-" + pod + ".jobs.");
  const auto& path = ingress["spec"]["rules"][1]["http"]["paths"][0];
  EXPECT_EQ(path["path"], "/");
  EXPECT_EQ(path["backend"],
            json({{"service", {{"name", pod + "-service-0"}, {"port", {{"number", 443}}}}}}));
  EXPECT_EQ(
      ingress["spec"]["tls"],
      json::array({{{"hosts", {"main-80-" + pod + ".jobs.", "main-443-" + pod + ".jobs."}}}}));
}

TEST(attached_manifest, an_ingress_takes_a_service_that_covers_its_ports) {
  const auto made = attached_of([](auto& spec) {
    add_service(spec, api::NodePort, {80, 443});
    add_ingress(spec, {443}).set_cert_name("mine");
    add_ingress(spec, {91}).set_use_clusterip(true);
    add_ingress(spec, {7});
  });
  ASSERT_EQ(made.size(), 4U) << "an ingress for a port that is not there is left out";
  EXPECT_FALSE(made[1]["spec"].contains("clusterIP"));
  EXPECT_EQ(made[2]["spec"]["rules"][0]["http"]["paths"][0]["backend"]["service"]["name"],
            pod + "-service-0");
  EXPECT_FALSE(made[2]["spec"].contains("tls"));
  EXPECT_EQ(made[3]["spec"]["rules"][0]["http"]["paths"][0]["backend"]["service"]["name"],
            pod + "-service-1");
}

TEST(attached_manifest, a_job_without_any_has_none) {
  EXPECT_TRUE(attached_of([](auto&) {}).empty());
}

}  // namespace
}  // namespace argosy::codec
