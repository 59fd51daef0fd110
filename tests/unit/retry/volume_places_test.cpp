// SPDX-License-Identifier: Apache-2.0
// Goal: a job whose run came back for a volume goes to the nodes that reach it, and says why; terms
// of affinity are judged and combined as Kubernetes does. Method: a queue that is told of refused
// runs, and terms as values.
#include <gtest/gtest.h>

#include <map>

#include "runtime/model/affinity.hpp"
#include "runtime/model/agent_run.hpp"
#include "tests/unit/queue_ledger/queue_fixture.hpp"

namespace argosy::ledger {
namespace {

using model::run_phase;
using op = model::affinity_rule::op;

TEST(refused_starts, for_a_volume_elsewhere_have_the_job_go_to_it_whatever_it_names) {
  queue_driver q;
  auto job = job_named(1);
  auto shape = *job.shape;
  shape.node_selector = {{"disk", "ssd"}};
  job.shape = std::make_shared<const model::job_shape>(shape);
  ASSERT_TRUE(q.submit({job}));
  for (const auto* zone : {"a", "b"}) {
    ASSERT_TRUE(q.lease({1}));
    model::run_outcome here{std::nullopt, 0, model::reason_refused_here, std::string{"in "} + zone};
    here.reach = {{{"zone", model::affinity_rule::op::in, {zone}}}};
    const auto number = q.core.find(job_id(1))->runs.back().number;
    ASSERT_TRUE(q.report(1, run_phase::refused, number, here));
    const auto& record = *q.core.find(job_id(1));
    EXPECT_TRUE(record.header->shape->affinity.empty());
    ASSERT_EQ(record.header->shape->volumes.size(), 1U) << "what was learnt last counts";
    EXPECT_EQ(record.header->shape->volumes[0],
              (model::volume_place{record.runs.back().cluster, here.message, here.reach}));
  }
}

TEST(volume_places, of_two_clusters_bind_a_job_in_each) {
  model::job_shape shape;
  shape.affinity = {{{"disk", op::exists, {}}}};
  shape.volumes = {{"a", "", {{{"zone", op::in, {"1"}}}}}, {"b", "", {{{"zone", op::in, {"2"}}}}}};
  const auto fits = [&](const char* cluster, const char* zone, bool has_disk = true) {
    const std::map<std::string, std::string> labels{
        {model::cluster_label, cluster}, {"zone", zone}, {has_disk ? "disk" : "no", ""}};
    return model::matches(model::affinity_of(shape), [&](const std::string& key) {
      const auto found = labels.find(key);
      return found == labels.end() ? nullptr : &found->second;
    });
  };
  EXPECT_TRUE(fits("a", "1"));
  EXPECT_FALSE(fits("a", "2"));
  EXPECT_TRUE(fits("b", "2"));
  EXPECT_FALSE(fits("b", "1"));
  EXPECT_TRUE(fits("c", "3"));
  EXPECT_FALSE(fits("c", "3", false)) << "what the user asks for holds as well";
}

TEST(volume_places, that_would_be_too_many_alternatives_are_left_out) {
  model::job_shape shape;
  for (int i = 0; i < 40; ++i) shape.affinity.push_back({{"zone", op::in, {std::to_string(i)}}});
  shape.volumes = {{"a", "", {{{"zone", op::in, {"1"}}}}}};
  EXPECT_EQ(model::affinity_of(shape), shape.affinity);
}

TEST(volume_places, are_short_or_not_kept) {
  EXPECT_TRUE(model::is_short({{{"zone", op::in, {"1"}}}}));
  EXPECT_FALSE(model::is_short(model::affinity_terms(17)));
  EXPECT_FALSE(model::is_short({{{"zone", op::in, {std::string(9000, 'x')}}}}));
}

TEST(volume_places, stand_in_words) {
  EXPECT_EQ(model::text_of({{{"zone", op::in, {"a", "b"}}, {"disk", op::exists, {}}},
                            {{"size", op::gt, {"3"}}, {"old", op::does_not_exist, {}}},
                            {{"rack", op::not_in, {"r"}}}}),
            "zone in (a, b) and disk, or size > 3 and no old, or rack not in (r)");
}

}  // namespace
}  // namespace argosy::ledger
