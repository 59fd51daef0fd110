// SPDX-License-Identifier: Apache-2.0
// Goal: what the decoder of submissions derives from several settings is by default what it has
// without settings, as tests use it. Method: the default settings are converted.
#include <gtest/gtest.h>

#include <algorithm>

#include "bins/argosyd/convert.hpp"

namespace argosy::argosyd {
namespace {

TEST(submit_limits, have_the_defaults_of_the_decoder) {
  const settings::argosyd_settings usual;
  const auto converted = submit_limits(usual);
  const codec::submit_limits own;
  EXPECT_EQ(converted.resources, own.resources);
  EXPECT_EQ(converted.tolerations, own.tolerations);
  EXPECT_EQ(converted.tolerations_by_class, own.tolerations_by_class);
  EXPECT_EQ(converted.tolerations_by_resource, own.tolerations_by_resource);
  EXPECT_EQ(converted.gang_uniformity_label, own.gang_uniformity_label);
}

TEST(submit_limits, have_the_priority_classes_of_the_scheduler) {
  const settings::argosyd_settings usual;
  const auto converted = submit_limits(usual);
  const codec::submit_limits own;
  EXPECT_EQ(converted.priority_class, own.priority_class);
  for (const auto& name : own.priority_classes)
    EXPECT_TRUE(
        std::count(converted.priority_classes.begin(), converted.priority_classes.end(), name) == 1)
        << name;
}

TEST(submit_limits, look_at_pods_unless_the_preset_is_armadas) {
  settings::argosyd_settings usual;
  EXPECT_TRUE(submit_limits(usual).pod_policies.empty());
  settings::argosyd_settings armada;
  armada.scheduling = settings::scheduling_settings{scheduling::preset::current};
  armada.api.pod_policies.emplace_back().queues = {"ann"};
  const auto policies = submit_limits(armada).pod_policies;
  EXPECT_EQ(access::policy_of(policies, "ann").level, access::pod_level::baseline);
  EXPECT_EQ(access::policy_of(policies, "bob").level, access::pod_level::privileged);
}

TEST(submit_limits, let_queues_name_what_the_scheduler_counts_unless_the_preset_is_armadas) {
  settings::argosyd_settings usual;
  const auto by_default = submit_limits(usual).limits_of_queues;
  const auto own = codec::submit_limits{}.limits_of_queues;
  ASSERT_TRUE(by_default && own);
  EXPECT_EQ(by_default->resources, own->resources);
  for (const auto& name : own->priority_classes)
    EXPECT_EQ(std::ranges::count(by_default->priority_classes, name), 1) << name;
  usual.scheduling.floating.emplace_back().name = "licence";
  usual.scheduling.keys.pod_limits = true;
  // Jobs of a class that is not allowed any more may still be there.
  usual.api.priority_classes = {"armada-default"};
  const auto more = submit_limits(usual).limits_of_queues;
  for (const auto* name : {"licence", "pods"})
    EXPECT_EQ(std::ranges::count(more->resources, name), 1) << name;
  EXPECT_EQ(more->priority_classes, by_default->priority_classes);
  usual.scheduling = settings::scheduling_settings{scheduling::preset::current};
  EXPECT_FALSE(submit_limits(usual).limits_of_queues);
}

}  // namespace
}  // namespace argosy::argosyd
