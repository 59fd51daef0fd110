// SPDX-License-Identifier: Apache-2.0
#include "tests/integration/formats/story_0_1.hpp"

#include <utility>

#include "messages/proto/argosy/log.pb.h"

namespace argosy::testing {

namespace {

constexpr std::int64_t begin_ns = begin_0_1_ns;

std::shared_ptr<const model::job_shape> shape() {
  model::job_shape out;
  out.requests = {{"cpu", 1'500}, {"memory", 1 << 30}};
  out.node_selector = {{"disk", "ssd"}};
  out.affinity = {{{"rack", model::affinity_rule::op::gt, {"3"}},
                   {"rack", model::affinity_rule::op::lt, {"9"}},
                   {"zone", model::affinity_rule::op::not_in, {"c"}},
                   {"old", model::affinity_rule::op::does_not_exist, {}}}};
  out.tolerations = {{"k", true, "", "NoExecute"}, {"l", false, "v", ""}};
  out.priority_class = "armada-default";
  out.process_obstacle = "podSpec.volumes";
  out.volumes = {{"east", "claim 'data' is there", nodes_0_1()}};
  out.attached = {"services", "ingresses"};
  return std::make_shared<const model::job_shape>(std::move(out));
}

std::shared_ptr<const model::job_header> header(std::uint64_t number) {
  auto out = std::make_shared<model::job_header>();
  out->id = job_0_1(number);
  out->queue = "research";
  out->job_set = number < 11 ? "night" : "day";
  out->name_space = "lab";
  out->owner = "ann";
  out->client_id = "client-" + std::to_string(number);
  out->body_hash = 0xdeadbeefcafef00d + number;
  out->priority = 17;
  out->submitted_ns = begin_ns;
  out->grace_seconds = 20;
  out->deadline_seconds = 3'600;
  out->on_lease_expiry = model::lease_policy::requeue_after_confirmation;
  out->keep_on_disconnect = true;
  out->fail_fast = number == 2;
  out->held = number == 10;
  out->shape = shape();
  if (number >= 11)
    out->gang = std::make_shared<const model::gang_info>(model::gang_info{"g", 2, 2, "rack"});
  log::v1::JobSpec spec;
  (*spec.mutable_labels())["team"] = "sky";
  (*spec.mutable_annotations())["note"] = "kept";
  spec.mutable_pod_spec()->add_containers()->set_image("busybox");
  out->spec = std::make_shared<const std::string>(spec.SerializeAsString());
  out->trace = trace_0_1();
  return out;
}

model::node_info node(const model::node_name& name) {
  return {name,
          {{"cpu", 32'000}, {"memory", std::int64_t{1} << 38}},
          {{"cpu", 31'000}, {"memory", std::int64_t{1} << 37}},
          {{"zone", "a"}},
          {{"t", "v", "NoSchedule"}},
          name == "n2"};
}

model::round_decided round() {
  model::round_decided out;
  out.number = 5;
  out.snapshot_position = {4};
  out.pool = "default";
  out.seed = 11;
  out.config_version = 12;
  out.digest = 13;
  out.leases = 8;
  out.preemptions = 1;
  out.duration_ns = 14;
  out.carried = carried_0_1();
  out.began_ns = begin_ns + 4 * second_ns;
  out.before = {out.carried.front()};
  out.cuts = {{"research", {3}, {4}}};
  return out;
}

model::job_leased lease(std::uint64_t job, std::uint32_t number = 1) {
  return {{job_0_1(job), number},
          model::cluster_name{"east"},
          model::node_name{"n1"},
          model::pool_name{"default"},
          -5,
          5};
}

/// Adds events with times that follow one another.
class record {
 public:
  explicit record(std::int64_t from_second) : time_ns_(begin_ns + from_second * second_ns) {}
  record& of_queue(model::event_payload payload, const model::queue_name& queue = "research") {
    out_.push_back({time_ns_++, queue, std::move(payload)});
    return *this;
  }
  record& of_control(model::event_payload payload) { return of_queue(std::move(payload), {}); }
  [[nodiscard]] std::vector<model::event> take() { return std::move(out_); }

 private:
  std::int64_t time_ns_;
  std::vector<model::event> out_;
};

std::vector<model::event> settings_and_clusters() {
  auto spare = queue_0_1();
  spare.name = "spare";
  auto gone = policy_0_1();
  gone.name = "gone";
  auto west = cluster_0_1();
  west.name = "west";
  west.unsettled = true;
  auto north = cluster_0_1();
  north.name = "north";
  return record{1}
      .of_control(model::retry_policy_set{policy_0_1()})
      .of_control(model::retry_policy_set{gone})
      .of_control(model::retry_policy_deleted{"gone"})
      .of_queue(model::queue_set{queue_0_1()})
      .of_queue(model::queue_set{spare}, "spare")
      .of_control(model::cluster_joined{cluster_0_1()})
      .of_control(model::nodes_changed{"east", {node("n1"), node("n2"), node("n3")}, {}})
      .of_control(model::nodes_changed{"east", {}, {"n3"}})
      .of_control(model::cordon_changed{"east", "n2", true, "bob", "a new disk"})
      .of_control(model::cluster_joined{west})
      .of_control(model::cluster_left{"west", "upgrade"})
      .of_control(model::cluster_joined{north})
      .of_control(model::cluster_left{"north", "moved"})
      .of_control(model::cluster_erased{"north", north.incarnation})
      .take();
}

std::vector<model::event> submission() {
  record out{2};
  out.of_queue(model::submission_accepted{"key-1", 0xfeed, {{job_0_1(1), 12}}});
  for (std::uint64_t number = 1; number <= 12; ++number)
    out.of_queue(model::job_submitted{header(number)});
  return out.take();
}

std::vector<model::event> runs_begin() {
  record out{4};
  out.of_control(round());
  for (const std::uint64_t number : {1, 2, 3, 4, 5, 6, 9})
    out.of_queue(lease(number)).of_queue(model::run_pending{{job_0_1(number), 1}});
  for (const std::uint64_t number : {1, 2, 4, 5, 6, 9})
    out.of_queue(model::run_running{{job_0_1(number), 1}});
  const model::run_usage usage{{{"cpu", "1"}}, {{"cpu", "500m"}}, {{"cpu", "3600"}}};
  out.of_queue(model::run_noted{{job_0_1(9), 1}, "it warms up", {"uid-9", {{80, "h:31"}}}, usage});
  return out.take();
}

std::vector<model::event> runs_end() {
  return record{5}
      .of_queue(model::run_succeeded{{job_0_1(1), 1}, {0, 0, "Completed", ""}})
      .of_queue(model::run_failed{{job_0_1(2), 1}, failure_0_1()})
      .of_queue(model::lease_returned{{job_0_1(3), 1},
                                      "the volume is elsewhere",
                                      model::return_cause::refused_here,
                                      nodes_0_1()})
      .of_queue(lease(3, 2))
      .of_queue(model::lease_expired{{job_0_1(3), 2}})
      .of_queue(model::run_retried{{job_0_1(4), 1}, failure_0_1(), "twice", true, 1 << 31})
      .of_queue(model::job_cancelling{job_0_1(5), "bob", "not needed"})
      .of_queue(model::job_cancelled{job_0_1(5), "bob", "not needed"})
      .of_queue(model::run_preempting{{job_0_1(6), 1}, job_0_1(9), "urgent work", "bob"})
      .of_queue(model::job_preempted{{job_0_1(6), 1}, job_0_1(9), "urgent work", "bob"})
      .of_queue(model::job_rejected{job_0_1(7), "no node is so large"})
      .of_queue(model::job_reprioritized{job_0_1(8), 3, "bob"})
      .of_queue(model::job_held{job_0_1(8), "ann", "the input is wrong"})
      .of_queue(model::job_released{job_0_1(10), "ann", "now"})
      .take();
}

std::vector<model::event> operators() {
  record out{6};
  out.of_queue(model::queue_deleted{}, "spare");
  for (std::uint64_t number = 1; number <= 3; ++number)
    out.of_control(model::call_recorded{number, "ann", "basic", "grpc", "127.0.0.1:1",
                                        "Submit.CancelJobs", "denied", "no right to do it",
                                        "research", "night", "east", "n1", 9, "in words", 4});
  out.of_control(settings_0_1());
  for (const auto& each : operations_0_1())
    out.of_queue(model::operation_changed{each}, each.queue);
  return out.take();
}

std::vector<model::event> expiry() {
  model::history_expired limits;
  limits.events_before_ns = begin_ns;
  limits.client_ids_before_ns = begin_ns;
  limits.records_max = 1'000;
  limits.audit_before_ns = begin_ns;
  limits.ended = {{"research", model::job_state::rejected, begin_ns + 9 * second_ns}};
  limits.audit_numbers = {1};
  return record{10}.of_control(limits).take();
}

}  // namespace

model::leader_elected claim_0_1() {
  return {{1}, "host/1/plane/server", {77}, "control-plane"};
}

std::vector<std::vector<model::event>> story_0_1() {
  return {settings_and_clusters(), submission(), runs_begin(), runs_end(), operators(), expiry()};
}

}  // namespace argosy::testing
