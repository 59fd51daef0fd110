// SPDX-License-Identifier: Apache-2.0
// Values with every field set to something that is not its default, so that a forgotten field is
// noticed.
#pragma once

#include <gtest/gtest.h>

#include <memory>
#include <string>

#include "runtime/model/event.hpp"

namespace argosy::codec {

inline ulid id_of(std::uint8_t n) {
  ulid id;
  id.bytes.fill(n);
  return id;
}

inline const model::run_key run{id_of(3), 4};
inline const model::run_outcome outcome{137, 9, "OOMKilled", "it ate all memory"};

inline model::trace_context some_trace() {
  model::trace_context trace;
  trace.trace_id.fill(7);
  trace.span_id = 8;
  trace.sampled = true;
  return trace;
}

inline model::job_shape some_shape() {
  model::job_shape shape;
  shape.requests = {{"cpu", 1500}, {"memory", 1 << 20}};
  shape.node_selector = {{"disk", "ssd"}, {"zone", "b"}};
  shape.volumes = {
      {"east", "claim 'data' is there", {{{"zone", model::affinity_rule::op::in, {"a"}}}}}};
  shape.affinity = {{{"rack", model::affinity_rule::op::gt, {"3"}},
                     {"gpu", model::affinity_rule::op::exists, {}}},
                    {{"zone", model::affinity_rule::op::not_in, {"a", "c"}}}};
  shape.tolerations = {{"k", true, "", "NoExecute"}, {"l", false, "v", ""}};
  shape.priority_class = "armada-preemptible";
  shape.process_obstacle = "podSpec.volumes";
  shape.attached = {"services", "ingresses"};
  return shape;
}

inline std::shared_ptr<model::job_header> some_header(std::uint8_t n = 1) {
  auto header = std::make_shared<model::job_header>();
  header->id = id_of(n);
  header->queue = "research";
  header->job_set = "set";
  header->name_space = "ns";
  header->owner = "alice";
  header->client_id = "client";
  header->body_hash = 0xdeadbeefcafef00dULL;
  header->priority = 17;
  header->submitted_ns = 1'700'000'000'000'000'001;
  header->grace_seconds = 20;
  header->deadline_seconds = 3600;
  header->shape = std::make_shared<const model::job_shape>(some_shape());
  header->gang = std::make_shared<const model::gang_info>(model::gang_info{"g", 4, 3, "rack"});
  header->spec = std::make_shared<const std::string>("\x0a\x00spec", 6);
  header->trace = some_trace();
  header->held = true;
  return header;
}

inline model::node_info some_node() {
  return {"n1",
          {{"cpu", 32000}, {"memory", 1LL << 38}},
          {{"cpu", 31000}},
          {{"zone", "b"}},
          {{"t", "v", "NoSchedule"}},
          true};
}

inline model::queue_settings some_settings() {
  model::queue_settings settings;
  settings.name = "research";
  settings.priority_factor = 2.5;
  settings.cordoned = true;
  settings.owners = {"alice"};
  settings.group_owners = {"staff"};
  settings.permissions = {{{{"User", "bob"}, {"Group", "dev"}}, {"submit", "watch"}}};
  settings.limits["armada-default"].fraction = {{"cpu", 0.5}};
  settings.limits["armada-default"].fraction_by_pool = {{"gpu", {{"memory", 0.25}}}};
  settings.labels = {{"team", "x"}};
  settings.retry_policies = {"twice"};
  settings.total_limit = {{"cpu", 0.75}};
  return settings;
}

inline void expect_equal(const model::job_header& a, const model::job_header& b, bool with_spec) {
  EXPECT_EQ(a.id, b.id);
  EXPECT_EQ(a.queue, b.queue);
  EXPECT_EQ(a.job_set, b.job_set);
  EXPECT_EQ(a.name_space, b.name_space);
  EXPECT_EQ(a.owner, b.owner);
  EXPECT_EQ(a.client_id, b.client_id);
  EXPECT_EQ(a.body_hash, b.body_hash);
  EXPECT_EQ(a.priority, b.priority);
  EXPECT_EQ(a.submitted_ns, b.submitted_ns);
  EXPECT_EQ(a.grace_seconds, b.grace_seconds);
  EXPECT_EQ(a.deadline_seconds, b.deadline_seconds);
  EXPECT_EQ(*a.shape, *b.shape);
  ASSERT_EQ(a.gang == nullptr, b.gang == nullptr);
  if (a.gang) {
    EXPECT_EQ(*a.gang, *b.gang);
  }
  EXPECT_EQ(a.trace, b.trace);
  EXPECT_EQ(a.held, b.held);
  if (with_spec) {
    ASSERT_NE(b.spec, nullptr);
    EXPECT_EQ(*a.spec, *b.spec);
  } else {
    EXPECT_EQ(b.spec, nullptr);
  }
}

}  // namespace argosy::codec
