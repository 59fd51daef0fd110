// SPDX-License-Identifier: Apache-2.0
// Goal: a lease has all that an executor of Armada looks at, and what executors say is read as it
// is meant. Method: messages as they are on the wire.
#include "messages/codec/armada/executor_codec.hpp"

#include <gmock/gmock.h>

#include "messages/codec/api/job_codec.hpp"
#include "messages/proto/argosy/log.pb.h"
#include "messages/proto/armada/executorapi.pb.h"
#include "runtime/model/agent_run.hpp"

namespace argosy::codec {

namespace {

using model::run_phase;
using ::testing::Contains;
using ::testing::ElementsAre;
using ::testing::IsEmpty;
using ::testing::Pair;
using ::testing::SizeIs;

const model::run_key some_run{ulid_from_hash(1'700'000'000'000, 1, 2), 70};

model::start_run order_for(const log::v1::JobSpec& spec) {
  model::start_run out;
  out.run = some_run;
  out.queue = "q";
  out.job_set = "set";
  out.name_space = "team";
  out.owner = "ann";
  out.node = "n1";
  out.grace_seconds = 7;
  out.deadline_seconds = 90;
  out.requests = {{"memory", 2 << 20}};
  out.spec = std::make_shared<const std::string>(spec.SerializeAsString());
  return out;
}

log::v1::JobSpec some_spec() {
  log::v1::JobSpec out;
  auto& pod = *out.mutable_pod_spec();
  pod.set_priorityclassname("armada-preemptible");
  pod.add_tolerations()->set_key("armadaproject.io/armada");
  auto& container = *pod.add_containers();
  container.set_name("main");
  auto& requests = *container.mutable_resources()->mutable_requests();
  requests["memory"].set_string("1Mi");
  requests["licences"].set_string("1");
  for (const auto number : {8080, 9090}) {
    auto& port = *container.add_ports();
    port.set_containerport(number);
  }
  container.add_ports()->set_containerport(22);
  container.mutable_ports(2)->set_hostport(22);
  (*out.mutable_labels())["app"] = "x";
  (*out.mutable_annotations())["note"] = "y";
  out.add_owner_groups("staff");
  return out;
}

lease_rules some_rules() {
  return {"far",       "gpu", "kubernetes.io/hostname", "armada-default", {"armada-preemptible"},
          {"licences"}};
}

executorapi::JobRunLease lease_of(const log::v1::JobSpec& spec,
                                  const lease_rules& rules = some_rules()) {
  executorapi::LeaseStreamMessage out;
  const auto bytes = encode_lease(order_for(spec), rules, "host-of-n1");
  EXPECT_TRUE(bytes && out.ParseFromString(*bytes));
  return out.lease();
}

TEST(lease_codec, fills_all_that_an_executor_looks_at) {
  const auto lease = lease_of(some_spec());
  EXPECT_EQ(lease.job_run_id(), run_id(some_run));
  EXPECT_EQ(lease.queue(), "q");
  EXPECT_EQ(lease.jobset(), "set");
  EXPECT_EQ(lease.user(), "ann");
  EXPECT_THAT(lease.groups(), ElementsAre("staff"));
  const auto& job = lease.job();
  EXPECT_EQ(job.job_id(), to_string(some_run.job));
  EXPECT_TRUE(job.preemptible());
  for (const auto& meta : {job.objectmeta(), job.mainobject().objectmeta()}) {
    EXPECT_EQ(meta.executor_id(), "far");
    EXPECT_EQ(meta.namespace_(), "team");
    EXPECT_EQ(meta.labels().at("app"), "x");
    EXPECT_EQ(meta.labels().at("armada_preemptible"), "true");
    EXPECT_EQ(meta.annotations().at("note"), "y");
    EXPECT_EQ(meta.annotations().at("armadaproject.io/pool"), "gpu");
  }
  ASSERT_TRUE(job.mainobject().has_pod_spec());
  const auto& pod = job.mainobject().pod_spec().pod_spec();
  EXPECT_EQ(pod.nodeselector().at("kubernetes.io/hostname"), "host-of-n1");
  EXPECT_EQ(pod.priorityclassname(), "armada-default");
  EXPECT_THAT(pod.tolerations(), SizeIs(1));
  EXPECT_EQ(pod.terminationgraceperiodseconds(), 7);
  EXPECT_EQ(pod.activedeadlineseconds(), 90);
  EXPECT_EQ(pod.restartpolicy(), "Never");
  const auto& requests = pod.containers(0).resources().requests();
  EXPECT_FALSE(requests.contains("licences")) << "no node has them";
  EXPECT_EQ(requests.at("memory").string(), "2Mi") << "a retry policy gave it more";
  auto rules = some_rules();
  rules.priority_class.clear();
  EXPECT_EQ(
      lease_of(some_spec(), rules).job().mainobject().pod_spec().pod_spec().priorityclassname(),
      "armada-preemptible");
}

TEST(lease_codec, derives_services_and_ingresses) {
  auto spec = some_spec();
  auto& service = *spec.add_services();
  service.set_type(api::Headless);
  service.add_ports(8080);
  spec.add_services()->add_ports(22);
  auto& covered = *spec.add_ingress();
  covered.add_ports(8080);
  covered.set_tls_enabled(true);
  covered.set_cert_name("cert");
  spec.add_ingress()->add_ports(9090);
  const auto lease = lease_of(spec);
  const auto& objects = lease.job().objects();
  ASSERT_THAT(objects, SizeIs(4));
  const auto pod = "armada-" + to_string(some_run.job) + "-0";
  for (const auto& object : objects) {
    EXPECT_EQ(object.objectmeta().namespace_(), "team");
    EXPECT_EQ(object.objectmeta().labels().at("armada_job_id"), to_string(some_run.job));
    EXPECT_EQ(object.objectmeta().annotations().at("armada_owner"), "ann");
  }
  EXPECT_EQ(objects[0].objectmeta().name(), pod + "-service-0");
  EXPECT_EQ(objects[0].service().type(), "ClusterIP");
  EXPECT_EQ(objects[0].service().clusterip(), "None");
  EXPECT_EQ(objects[0].service().ports(0).name(), "main-8080");
  EXPECT_EQ(objects[1].objectmeta().name(), pod + "-ingress-0");
  const auto& rule = objects[1].ingress().rules(0);
  EXPECT_EQ(rule.host(), "main-8080-" + pod + ".team.");
  EXPECT_EQ(rule.ingressrulevalue().http().paths(0).backend().service().name(), pod + "-service-0");
  EXPECT_EQ(objects[1].ingress().tls(0).secretname(), "cert");
  EXPECT_EQ(objects[2].objectmeta().name(), pod + "-service-1");
  EXPECT_EQ(
      objects[3].ingress().rules(0).ingressrulevalue().http().paths(0).backend().service().name(),
      pod + "-service-1");
}

TEST(lease_codec, refuses_a_damaged_specification) {
  auto order = order_for({});
  order.spec = std::make_shared<const std::string>("\x0a\xff");
  const auto got = encode_lease(order, some_rules(), "n1");
  ASSERT_FALSE(got);
  EXPECT_EQ(got.error().code, ec::corrupt);
}

TEST(executor_codec, reads_nodes_and_runs) {
  executorapi::LeaseRequest request;
  request.set_executor_id("far");
  request.set_pool("gpu");
  request.set_max_jobs_to_lease(9);
  request.add_unassigned_job_run_ids("waiting");
  auto& node = *request.add_nodes();
  node.set_name("n1");
  node.set_unschedulable(true);
  (*node.mutable_labels())["zone"] = "z";
  (*node.mutable_total_resources())["cpu"].set_string("4");
  (*node.mutable_total_resources())["memory"].set_string("8Gi");
  (*node.mutable_total_resources())["odd"].set_string("?");
  for (const auto priority : {0, 1000}) {
    auto& others = *(*node.mutable_non_armada_allocated_resources())[priority].mutable_resources();
    others["cpu"].set_string("500m");
  }
  auto& taint = *node.add_taints();
  taint.set_key("gpu");
  taint.set_effect("NoSchedule");
  (*node.mutable_run_ids_by_state())["here"] = api::RUNNING;
  (*node.mutable_run_ids_by_state())["soon"] = api::PENDING;
  request.add_nodes();
  auto& other = *request.add_nodes();
  other.set_name("n2");
  other.set_pool("cpu");
  const auto got = decode_lease_request(request.SerializeAsString());
  ASSERT_TRUE(got);
  EXPECT_EQ(got->cluster, "far");
  EXPECT_EQ(got->pool, "gpu");
  EXPECT_EQ(got->leases_max, 9U);
  ASSERT_THAT(got->nodes, SizeIs(1)) << "one has no name, one is of another pool";
  const auto& read = got->nodes[0];
  EXPECT_THAT(read.total, ElementsAre(Pair("cpu", 4'000), Pair("memory", 8LL << 30)));
  EXPECT_THAT(read.allocatable, Contains(Pair("cpu", 3'000)));
  EXPECT_TRUE(read.unschedulable);
  EXPECT_THAT(read.taints, SizeIs(1));
  ASSERT_THAT(got->runs, SizeIs(3));
  for (const auto& run : got->runs) {
    EXPECT_EQ(run.begun, run.id == "here");
    EXPECT_EQ(run.node, run.id == "waiting" ? "" : "n1");
  }
  EXPECT_FALSE(decode_lease_request("")) << "it names no executor";
}

ledger::armada_event read_one(armadaevents::EventSequence::Event event) {
  executorapi::EventList list;
  *list.add_events()->add_events() = std::move(event);
  const auto got = decode_executor_events(list.SerializeAsString());
  EXPECT_TRUE(got && got->size() == 1);
  return got && !got->empty() ? got->front() : ledger::armada_event{};
}
template <class Message>
void name_run(Message& message) {
  message.set_job_id(to_string(some_run.job));
  message.set_run_id(run_id(some_run));
}

TEST(executor_codec, reads_what_happens_to_runs) {
  armadaevents::EventSequence::Event event;
  event.mutable_created()->set_seconds(5);
  name_run(*event.mutable_jobrunrunning());
  auto got = read_one(event);
  EXPECT_EQ(got.run, some_run);
  EXPECT_EQ(got.phase, run_phase::running);
  EXPECT_EQ(got.time_ns, 5'000'000'000);
  name_run(*event.mutable_jobrunsucceeded());
  got = read_one(event);
  EXPECT_EQ(got.phase, run_phase::succeeded);
  EXPECT_EQ(got.outcome.exit_code, 0);

  auto& errors = *event.mutable_jobrunerrors();
  name_run(errors);
  errors.add_errors()->mutable_poderror()->set_message("not the end");
  EXPECT_FALSE(read_one(event).phase) << "no error is terminal";
  auto& pod = *errors.add_errors();
  pod.set_terminal(true);
  pod.mutable_poderror()->set_message("pod failed");
  pod.mutable_poderror()->set_kubernetes_reason(armadaevents::OOM);
  pod.mutable_poderror()->add_containererrors()->set_exit_code(137);
  got = read_one(event);
  EXPECT_EQ(got.phase, run_phase::failed);
  EXPECT_EQ(got.outcome.exit_code, 137);
  EXPECT_EQ(got.outcome.reason, "OOMKilled");
  EXPECT_EQ(got.outcome.message, "pod failed");
  EXPECT_EQ(got.outcome.category, "");

  errors.clear_errors();
  auto& back = *errors.add_errors();
  back.set_terminal(true);
  back.mutable_podleasereturned()->set_message("stuck");
  EXPECT_EQ(read_one(event).phase, run_phase::refused);
  EXPECT_EQ(read_one(event).outcome.reason, model::reason_cluster_refused);
  back.mutable_podleasereturned()->set_run_attempted(true);
  EXPECT_EQ(read_one(event).outcome.reason, model::reason_refused_here);

  auto& ingress = *event.mutable_standaloneingressinfo();
  name_run(ingress);
  (*ingress.mutable_ingress_addresses())[8080] = "a.example.com";
  got = read_one(event);
  EXPECT_FALSE(got.phase);
  const std::pair<std::int32_t, std::string> address{8080, "a.example.com"};
  EXPECT_THAT(got.pod.addresses, ::testing::ElementsAre(address));
  EXPECT_FALSE(read_one({}).run);
}

TEST(executor_codec, knows_a_run_by_its_id_and_its_job) {
  const auto job = to_string(some_run.job);
  EXPECT_EQ(run_of(job, run_id(some_run)), some_run);
  EXPECT_FALSE(run_of(job, "no-id"));
  EXPECT_FALSE(run_of("no-job", run_id(some_run)));
  EXPECT_FALSE(run_of(to_string(ulid_from_hash(9, 9, 9)), run_id(some_run)));
  const model::run_key third{some_run.job, 3};
  EXPECT_THAT(runs_of(run_id(third)), Contains(third));
  EXPECT_THAT(runs_of("no-id"), IsEmpty());
}

}  // namespace

}  // namespace argosy::codec
