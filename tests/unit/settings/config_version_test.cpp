// SPDX-License-Identifier: Apache-2.0
// Goal: the version of the scheduling configuration tells configurations apart and nothing else.
// Method: texts of configurations, loaded as argosyd loads them.
#include "runtime/settings/config_version.hpp"

#include <gtest/gtest.h>

#include <set>

#include "runtime/settings/load.hpp"

namespace argosy::settings {
namespace {

std::uint64_t version_of_text(const std::string& text) {
  auto loaded = load_scheduling(text, "s.yaml");
  EXPECT_TRUE(loaded) << loaded.error().detail;
  return loaded ? config_version(*loaded) : 0;
}

TEST(config_version, is_the_same_for_the_same_configuration_however_it_is_written) {
  const auto plain = version_of_text("{}");
  EXPECT_NE(plain, 0U);
  EXPECT_EQ(version_of_text("scheduling: {}"), plain);
  EXPECT_EQ(version_of_text("# nothing but a comment\npreset: argosy\n"), plain);
  EXPECT_EQ(version_of_text("{preset: current, maximumSchedulingBurst: 10, "
                            "maximumSchedulingRate: 2}"),
            version_of_text("maximumSchedulingRate: 2.0\nmaximumSchedulingBurst: 10\n"
                            "preset: current\n"));
}

TEST(config_version, changes_with_every_key) {
  std::set<std::uint64_t> versions;
  const auto texts = {"{}",
                      "preset: current",
                      "preset: classic",
                      "preset: lottery",
                      "{maximumSchedulingBurst: 10, maximumSchedulingRate: 2}",
                      "pools: [{name: gpu}]",
                      "pools: [{name: gpu, awayPools: [default]}]"};
  for (const auto* text : texts) versions.insert(version_of_text(text));
  EXPECT_EQ(versions.size(), texts.size());
}

TEST(config_version, is_that_of_the_text_that_is_kept_of_it) {
  for (const auto* text : {"{}", "preset: current", "preset: classic", "preset: lottery",
                           "{maximumSchedulingBurst: 10, maximumSchedulingRate: 2}",
                           "pools: [{name: gpu, awayPools: [default]}]",
                           "{preset: current, maximumPerQueueSchedulingBurst: 3, "
                           "maximumPerQueueSchedulingRate: 0.25}"}) {
    const auto loaded = load_scheduling(text, "s.yaml");
    ASSERT_TRUE(loaded) << loaded.error().detail;
    EXPECT_EQ(version_of_text(config_text(*loaded)), config_version(*loaded))
        << config_text(*loaded);
  }
}

TEST(config_version, changes_with_each_key_of_the_table) {
  scheduling_settings settings;
  field_table table;
  describe(table, settings);
  std::set<std::uint64_t> versions{config_version(settings)};
  std::size_t changed = 0;
  for (const auto& item : table.fields()) {
    if (!item.bound) continue;
    problem_list problems;
    const auto before = item.bound->print();
    for (const auto* other : {"7", "0.25", "true", "false", "[a]", "{a: 1}", "1h", "x"}) {
      problems.clear();
      table.set(item.path, other, "test", problems);
      if (problems.empty() && item.bound->print() != before) break;
    }
    if (item.bound->print() == before) continue;  // This key takes none of these values.
    ++changed;
    EXPECT_TRUE(versions.insert(config_version(settings)).second) << item.path;
  }
  EXPECT_GT(changed, 15U);
}

}  // namespace
}  // namespace argosy::settings
