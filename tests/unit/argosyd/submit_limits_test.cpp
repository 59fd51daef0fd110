// SPDX-License-Identifier: Apache-2.0
// Goal: the limits of submissions have the same defaults in the settings, which users read, and in
// the decoder, which tests use without settings. Method: the default settings are converted.
#include <gtest/gtest.h>

#include <algorithm>

#include "bins/argosyd/convert.hpp"

namespace argosy::argosyd {
namespace {

model::resource_list sorted(model::resource_list list) {
  std::sort(list.begin(), list.end());
  return list;
}

TEST(submit_limits, have_the_defaults_of_the_decoder) {
  const settings::argosyd_settings usual;
  const auto converted = submit_limits(usual);
  const codec::submit_limits own;
  EXPECT_EQ(converted.items_max, own.items_max);
  EXPECT_EQ(converted.pod_spec_size_max, own.pod_spec_size_max);
  EXPECT_EQ(converted.job_set_size_max, own.job_set_size_max);
  EXPECT_EQ(converted.client_id_size_max, own.client_id_size_max);
  EXPECT_EQ(converted.metadata_size_max, own.metadata_size_max);
  EXPECT_EQ(converted.resources, own.resources);
  EXPECT_EQ(sorted(converted.requests_min), sorted(own.requests_min));
  EXPECT_EQ(converted.oversubscription_max, own.oversubscription_max);
  EXPECT_EQ(converted.init_cpu_fractional, own.init_cpu_fractional);
  EXPECT_EQ(converted.grace_seconds_min, own.grace_seconds_min);
  EXPECT_EQ(converted.grace_seconds_max, own.grace_seconds_max);
  EXPECT_EQ(converted.restricted_toleration_keys, own.restricted_toleration_keys);
  EXPECT_EQ(converted.deadline_seconds, own.deadline_seconds);
  EXPECT_EQ(converted.deadline_seconds_by_resource, own.deadline_seconds_by_resource);
  EXPECT_EQ(sorted(converted.container_requests), sorted(own.container_requests));
  EXPECT_EQ(converted.tolerations, own.tolerations);
  EXPECT_EQ(converted.tolerations_by_class, own.tolerations_by_class);
  EXPECT_EQ(converted.tolerations_by_resource, own.tolerations_by_resource);
  EXPECT_EQ(converted.gang_id_label, own.gang_id_label);
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

}  // namespace
}  // namespace argosy::argosyd
