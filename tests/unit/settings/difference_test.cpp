// SPDX-License-Identifier: Apache-2.0
// Goal: of two configurations the difference names each key that has another value, those that
// only a restart can change apart from the others, and never the value of a secret. Method: texts
// of configurations, loaded as argosyd loads them.
#include "runtime/settings/reload/difference.hpp"

#include <gmock/gmock.h>

#include "runtime/scheduling/keys.hpp"
#include "runtime/settings/config_version.hpp"
#include "runtime/settings/load.hpp"

namespace argosy::settings {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;
using ::testing::UnorderedElementsAre;
using key = model::changed_setting;

argosyd_settings from_text(const std::string& text) {
  sources from;
  from.file = {"argosyd.yaml", text};
  auto loaded = load_argosyd(from);
  EXPECT_TRUE(loaded) << loaded.error().detail;
  argosyd_settings out;
  if (loaded) out = std::move(loaded->value);
  return out;
}

settings_difference between(const std::string& running, const std::string& wanted) {
  return difference(from_text(running), from_text(wanted));
}

TEST(settings_difference, is_empty_however_the_same_is_written) {
  const auto none = between("scheduling: {maxNewDecisions: 0}", "# a comment\n{}");
  EXPECT_THAT(none.live, IsEmpty());
  EXPECT_THAT(none.restart, IsEmpty());
}

TEST(settings_difference, names_keys_that_rounds_read_with_their_values) {
  const auto some = between(
      "scheduling: {maxNewDecisions: 5}",
      "scheduling: {maxNewDecisions: 7, eviction: {enabled: false}, nodeOrder: [noPreemption, "
      "bestFit]}");
  EXPECT_THAT(some.restart, IsEmpty());
  ASSERT_EQ(some.live.size(), 3U);
  EXPECT_THAT(some.live, ::testing::Contains(key{"scheduling.maxNewDecisions", "5", "7"}));
  EXPECT_THAT(some.live, ::testing::Contains(key{"scheduling.eviction.enabled", "true", "false"}));
}

TEST(settings_difference, names_the_keys_of_pools_one_by_one) {
  const auto some =
      between("scheduling: {pools: [{name: gpu, disableAway: true}, {name: cpu}]}",
              "scheduling: {pools: [{name: gpu, disableAway: false, disableGangAway: true}, "
              "{name: cpu}, {name: big, awayPools: [gpu]}]}");
  EXPECT_THAT(some.restart, IsEmpty());
  EXPECT_THAT(some.live,
              UnorderedElementsAre(key{"scheduling.pools.big.awayPools", "", "[gpu]"},
                                   key{"scheduling.pools.gpu.disableAway", "true", "false"},
                                   key{"scheduling.pools.gpu.disableGangAway", "", "true"}));
}

TEST(settings_difference, names_pools_that_only_change_the_version) {
  const auto a = from_text("scheduling: {pools: [{name: a}, {name: b}]}");
  const auto b = from_text("scheduling: {pools: [{name: b}, {name: a}]}");
  ASSERT_NE(config_version(a.scheduling), config_version(b.scheduling));
  EXPECT_EQ(difference(a, b).live.size(), 1U);
}

TEST(settings_difference, names_what_needs_a_restart_without_its_value) {
  const auto some = between(
      "{}",
      "nats: {url: 'nats://user:secret@host:4222'}\n"
      "cycle: {period: 2s}\n"
      "scheduling: {maxNewDecisions: 1, respectNodePodLimits: true, indexedNodeLabels: [zone]}\n");
  EXPECT_THAT(some.restart,
              UnorderedElementsAre("nats.url", "cycle.period", "scheduling.respectNodePodLimits",
                                   "scheduling.indexedNodeLabels"));
  EXPECT_THAT(some.live, ElementsAre(key{"scheduling.maxNewDecisions", "0", "1"}));
}

/// By these a snapshot is built or a job is completed, see same_columns() of the round and
/// submit_limits() of argosyd.
TEST(settings_difference, keys_that_shape_the_snapshot_need_a_restart) {
  std::vector<std::string> fixed;
  for (const auto& each : scheduling::all_keys())
    if (each.at_start) fixed.emplace_back(each.path);
  EXPECT_THAT(fixed, UnorderedElementsAre("preset", "urgencyVictims", "jobOrder", "softTaints",
                                          "gang.defaultUniformityLabel", "resources",
                                          "respectNodePodLimits", "indexedNodeLabels",
                                          "indexedTaints", "floatingResources", "priorityClasses",
                                          "defaultPriorityClassName"));
}

TEST(settings_difference, cuts_long_values) {
  std::string pools;
  for (int i = 0; i < 200; ++i) pools += (i > 0 ? ", pool" : "pool") + std::to_string(i);
  const auto some = between("{}", "scheduling: {pools: [{name: p, awayPools: [" + pools + "]}]}");
  ASSERT_EQ(some.live.size(), 1U);
  EXPECT_EQ(some.live[0].after.size(), told_value_bytes + 3);
}

}  // namespace
}  // namespace argosy::settings
