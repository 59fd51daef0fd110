// SPDX-License-Identifier: Apache-2.0
// Goal: Armada's dashboards find their names, labels and units. Method: families of ours by hand.
#include "runtime/metrics/armada_names.hpp"

#include <gtest/gtest.h>

namespace argosy::metrics {

namespace {

const family* find(const family_list& all, const std::string& name) {
  for (const auto& each : all)
    if (each.name == name) return &each;
  return nullptr;
}

std::string label(const sample& of, const std::string& name) {
  for (const auto& [known, value] : of.labels)
    if (known == name) return value;
  return "none";
}

}  // namespace

TEST(armada_families, have_one_kind_of_share_each) {
  const family shares{"argosy_queue_share_ratio",
                      "Shares.",
                      family_kind::gauge,
                      {{{{"pool", "p"}, {"queue", "q"}, {"kind", "fair"}}, 0.25},
                       {{{"pool", "p"}, {"queue", "q"}, {"kind", "actual"}}, 0.5}}};
  const auto theirs = armada_families({shares});
  const auto* fair = find(theirs, "armada_scheduler_fair_share");
  ASSERT_NE(fair, nullptr);
  ASSERT_EQ(fair->samples.size(), 1u);
  EXPECT_EQ(fair->samples[0].value, 0.25);
  EXPECT_EQ(fair->samples[0].labels, (label_list{{"pool", "p"}, {"queue", "q"}}));
  EXPECT_EQ(find(theirs, "armada_scheduler_actual_share")->samples.at(0).value, 0.5);
  EXPECT_TRUE(find(theirs, "armada_scheduler_adjusted_fair_share")->samples.empty());
}

TEST(armada_families, have_what_we_want_less_what_we_have_as_queued) {
  const auto amounts = [](const char* name, double value) {
    return family{name,
                  "",
                  family_kind::gauge,
                  {{{{"pool", "p"}, {"queue", "q"}, {"resource", "cpu"}}, value}}};
  };
  const auto theirs =
      armada_families({amounts("argosy_queue_demand", 10), amounts("argosy_queue_allocated", 4)});
  const auto* queued = find(theirs, "armada_queue_resource_queued");
  ASSERT_NE(queued, nullptr);
  EXPECT_EQ(queued->samples.at(0).value, 6);
  EXPECT_EQ(label(queued->samples[0], "queueName"), "q");
  EXPECT_EQ(label(queued->samples[0], "resourceType"), "cpu");
  EXPECT_EQ(label(queued->samples[0], "nodeType"), "");
}

TEST(armada_families, add_up_counters_that_differ_in_labels_of_ours) {
  const family ended{
      "argosy_jobs_total",
      "",
      family_kind::counter,
      {{{{"queue", "q"}, {"pool", "p"}, {"state", "FAILED"}, {"reason", "internal"}}, 2},
       {{{"queue", "q"}, {"pool", "p"}, {"state", "FAILED"}, {"reason", "user_error"}}, 3},
       {{{"queue", "q"}, {"pool", "p"}, {"state", "SUCCEEDED"}, {"reason", ""}}, 9}}};
  const auto theirs = armada_families({ended});
  const auto* failed = find(theirs, "armada_scheduler_failed_jobs");
  ASSERT_NE(failed, nullptr);
  ASSERT_EQ(failed->samples.size(), 1u);
  EXPECT_EQ(failed->samples[0].value, 5);
}

TEST(armada_families, have_times_in_milliseconds) {
  const family times{"argosy_round_duration_seconds",
                     "",
                     family_kind::histogram,
                     {{{{"pool", "p"}}, 3, {{0.5, 2}}, 1.5}}};
  const auto theirs = armada_families({times});
  const auto* cycles = find(theirs, "armada_scheduler_pool_scheduling_cycle_times");
  ASSERT_NE(cycles, nullptr);
  EXPECT_EQ(cycles->samples.at(0).sum, 1500);
  EXPECT_EQ(cycles->samples.at(0).at_most.at(0).first, 500);
  EXPECT_EQ(cycles->samples.at(0).value, 3);
}

}  // namespace argosy::metrics
