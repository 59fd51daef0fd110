// SPDX-License-Identifier: Apache-2.0
#include "tests/integration/formats/values_0_1.hpp"

#include <utility>

namespace argosy::testing {

model::trace_context trace_0_1() {
  model::trace_context out;
  out.trace_id.fill(7);
  out.span_id = 8;
  out.sampled = true;
  return out;
}

model::affinity_terms nodes_0_1() {
  return {{{"zone", model::affinity_rule::op::in, {"a", "b"}},
           {"disk", model::affinity_rule::op::exists, {}}}};
}

ulid job_0_1(std::uint64_t number) {
  auto out = ulid_from_hash(1'800'000'000'000, 0, 0);
  out.bytes.back() = static_cast<std::uint8_t>(number);
  return out;
}

model::queue_settings queue_0_1() {
  model::queue_settings out;
  out.name = "research";
  out.priority_factor = 2.5;
  out.cordoned = true;
  out.owners = {"ann"};
  out.group_owners = {"staff"};
  out.permissions = {{{{"User", "bob"}, {"Group", "dev"}}, {"submit", "watch"}}};
  out.limits["armada-default"].fraction = {{"cpu", 0.5}};
  out.limits["armada-default"].fraction_by_pool = {{"gpu", {{"memory", 0.25}}}};
  out.total_limit = {{"cpu", 0.75}};
  out.labels = {{"team", "sky"}};
  out.retry_policies = {"twice"};
  return out;
}

model::cluster_info cluster_0_1() {
  model::cluster_info out;
  out.name = "east";
  out.pool = "default";
  out.backend = model::kubernetes_backend;
  out.incarnation = {static_cast<std::uint64_t>(begin_0_1_ns)};
  out.lease_ns = 60 * second_ns;
  out.kill_grace_ns = 5 * second_ns;
  out.place = "host:/var/lib/argosy";
  out.boot = "boot-1";
  out.process = {99};
  out.namespaces = {"lab", "lab-*"};
  out.closed = {{"shut", "quota", "exceeded quota: q", begin_0_1_ns}};
  return out;
}

model::retry_policy policy_0_1() {
  model::retry_policy out;
  out.name = "twice";
  out.limit = 2;
  out.otherwise = model::retry_action::retry;
  out.rules = {{model::retry_action::retry, "oom", "", true, model::memory_bump{1.5, {}}},
               {model::retry_action::retry, "node", "disk", false, model::memory_bump{{}, 1 << 20}},
               {model::retry_action::fail, "user"}};
  return out;
}

model::run_outcome failure_0_1() {
  model::run_outcome out{137, 9, "OOMKilled", "it took all memory", "oom/container"};
  out.containers = {{"main", 137, "OOMKilled", "killed"}, {"side", 1, "Error", "exit code 1"}};
  out.reach = nodes_0_1();
  return out;
}

std::vector<model::carried_entry> carried_0_1() {
  using kind = model::carried_entry::kind;
  std::vector<model::carried_entry> out;
  for (int number = 0; number <= static_cast<int>(kind::closed_node); ++number) {
    const auto what = static_cast<kind>(number);
    model::carried_entry entry;
    entry.what = what;
    entry.pool = "default";
    const bool is_node = what == kind::node_health || what == kind::closed_node;
    entry.name = is_node ? "east/n1" : "research";
    if (what == kind::penalty || what == kind::preempted) entry.job = job_0_1(6);
    entry.time_ns = begin_0_1_ns + number;
    entry.level = what == kind::closed_node ? 2 : 1.5;
    entry.cores = 0.25;
    entry.amounts = {{"cpu", 100}};
    entry.slowed = 0.125;
    entry.health.machine = {0.75, 8, 2, begin_0_1_ns};
    entry.health.results = {0.5, 4, 2, begin_0_1_ns + 1};
    entry.health.last_failure = "the disk is full";
    entry.health.quarantine = {begin_0_1_ns + 600 * second_ns, 600 * second_ns,
                               "3 of 4 runs failed"};
    entry.resource = "cpu";
    out.push_back(std::move(entry));
  }
  return out;
}

model::settings_changed settings_0_1() {
  model::settings_changed out;
  out.number = 1;
  out.version = 12;
  out.version_before = 10;
  out.by = "root";
  out.cause = "update";
  out.changed = {{"scheduling.maxNewDecisions", "8", "4"}};
  out.text = "maxNewDecisions: 4\n";
  out.overrides = {{"scheduling.maxNewDecisions", "4"}};
  return out;
}

std::vector<model::operation> operations_0_1() {
  model::operation cancel;
  cancel.id = ulid_from_hash(1'800'000'001'000, 1, 1);
  cancel.kind = model::operation_kind::reprioritize;
  cancel.queue = "research";
  cancel.job_set = "night";
  cancel.cluster = "east";
  cancel.node = "n1";
  cancel.by = "bob";
  cancel.reason = "it is late";
  cancel.begun_ns = begin_0_1_ns;
  cancel.total = 10;
  cancel.done = 3;
  cancel.jobs = {5, {"armada-default"}, {"default"}, 4, true};
  auto drain = cancel;
  drain.id = ulid_from_hash(1'800'000'002'000, 2, 2);
  drain.kind = model::operation_kind::drain;
  drain.state = model::operation_state::stopped;
  drain.queue = {};
  drain.job_set.clear();
  drain.jobs = {};
  drain.ended_ns = begin_0_1_ns + 6 * second_ns;
  drain.detail = "stopped by bob";
  drain.deadline_ns = begin_0_1_ns + 60 * second_ns;
  drain.preempts = true;
  return {cancel, drain};
}

}  // namespace argosy::testing
