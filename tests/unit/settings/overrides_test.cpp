// SPDX-License-Identifier: Apache-2.0
// Goal: keys that were set through the API lie over those of a file, are checked with them, and
// are told as files would say them. Method: texts of configurations, loaded as argosyd loads them.
#include "runtime/settings/reload/overrides.hpp"

#include <gmock/gmock.h>

#include "runtime/settings/config_version.hpp"
#include "runtime/settings/load.hpp"
#include "runtime/settings/reload/live_keys.hpp"

namespace argosy::settings {
namespace {

using ::testing::Contains;
using ::testing::HasSubstr;

argosyd_settings of_file(const std::string& text) {
  sources from;
  from.file = {"argosyd.yaml", text};
  auto loaded = load_argosyd(from);
  EXPECT_TRUE(loaded) << loaded.error().detail;
  argosyd_settings out;
  if (loaded) out = std::move(loaded->value);
  return out;
}

placed_setting set(const std::string& name, const std::string& value) {
  return {{name, value}, "there"};
}

TEST(settings_overrides, give_the_version_of_a_file_that_says_the_same) {
  const auto file = of_file("scheduling: {maxQueueLookback: 3, pools: [{name: a}]}");
  const auto both = lay_over(
      file, {set("scheduling.maxQueueLookback", "7"), set("scheduling.pools.a.awayPools", "[ b ]"),
             set("scheduling.pools.x.y.disableAway", "true")});
  ASSERT_TRUE(both) << both.error().detail;
  const auto same = of_file(
      "scheduling: {maxQueueLookback: 7, pools: [{name: a, awayPools: [b]},"
      " {name: x.y, disableAway: true}]}");
  EXPECT_EQ(config_version(both->scheduling), config_version(same.scheduling));
  EXPECT_EQ(value_of(*both, "scheduling.pools.a.awayPools"), "[b]");
  EXPECT_EQ(value_of(*both, "scheduling.pools.a.disableAway"), "null");
  EXPECT_EQ(value_of(*both, "scheduling.pools.a.what"), "");
}

TEST(settings_overrides, of_a_pool_have_their_places_where_rules_between_keys_are_broken) {
  const auto both =
      lay_over(of_file("{}"), {{{"scheduling.pools.a.unscheduledResources", "[cpus]"}, "line 1"},
                               {{"scheduling.pools.a.awayPools", "[b]"}, "line 2"},
                               {{"scheduling.pools.b.unscheduledResources", "[gpus]"}, "line 3"}});
  ASSERT_FALSE(both);
  EXPECT_THAT(both.error().detail, HasSubstr("line 1: scheduling.pools: 'a' names 'cpus'"));
  EXPECT_THAT(both.error().detail, HasSubstr("line 3: scheduling.pools: 'b' names 'gpus'"));
}

TEST(settings_overrides, of_null_add_no_pool) {
  const auto file = of_file("{}");
  const auto both = lay_over(file, {set("scheduling.pools.a.awayPools", "null")});
  ASSERT_TRUE(both) << both.error().detail;
  EXPECT_EQ(config_version(both->scheduling), config_version(file.scheduling));
}

TEST(settings_overrides, of_every_live_key_can_have_the_value_that_the_key_has) {
  const auto file = of_file("store: {jobRetentionByQueue: [{queue: ci-*, all: 2d}]}");
  std::vector<placed_setting> all;
  for (const auto& key : live_keys()) all.push_back(set(key, value_of(file, key)));
  const auto both = lay_over(file, all);
  ASSERT_TRUE(both) << both.error().detail;
  EXPECT_EQ(config_version(both->scheduling), config_version(file.scheduling));
  EXPECT_THAT(live_keys(), Contains("store.jobRetentionByState.failed"));
  EXPECT_THAT(live_keys(), Contains("scheduling.eviction.probability"));
}

TEST(settings_overrides, are_refused_with_a_remedy) {
  EXPECT_THAT(*wrong_name("maxNewDecisions"),
              HasSubstr("did you mean 'scheduling.maxNewDecisions'?"));
  EXPECT_THAT(*wrong_name("scheduling.preset"), HasSubstr("cannot change while argosyd runs"));
  EXPECT_THAT(*wrong_name("store.mapSize"), HasSubstr("cannot change while argosyd runs"));
  EXPECT_THAT(*wrong_name("scheduling.pools.a.disableAwy"), HasSubstr("'disableAway'"));
  EXPECT_THAT(*wrong_name("scheduling.pools.a"), HasSubstr("there is no such setting"));
  EXPECT_TRUE(wrong_name("scheduling.awayPools")) << "only pools have it";
  EXPECT_TRUE(wrong_name(""));
}

TEST(settings_overrides, names_of_keys_of_pools_are_taken_apart_at_the_last_dot) {
  const auto parts = parse_pool_key(name_of_pool_key("x.y", "awayPools"));
  ASSERT_TRUE(parts);
  EXPECT_EQ(parts->pool, "x.y");
  EXPECT_EQ(parts->key, "awayPools");
  EXPECT_FALSE(parse_pool_key("scheduling.pools"));
  EXPECT_FALSE(parse_pool_key("scheduling.pools.a"));
  EXPECT_FALSE(parse_pool_key("scheduling.poolsize.a"));
}

}  // namespace
}  // namespace argosy::settings
