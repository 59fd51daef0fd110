// SPDX-License-Identifier: Apache-2.0
// Goal: a key of scheduling is a member of the round's configuration and a row of the table of
// keys, and nothing else: every member has its row, and every row stands in config/argosyd.yaml
// with its default, is read, printed and checked. Method: the table against the struct, the sample
// file and settings that name each key.
#include "runtime/settings/scheduling_keys.hpp"

#include <gmock/gmock.h>

#include <algorithm>
#include <limits>
#include <set>
#include <utility>

#include "runtime/settings/load.hpp"

namespace argosy::settings {
namespace {

using scheduling::all_keys;
using scheduling::key_kind;
using scheduling::key_scope;

/// Converts to any type, so that it can stand for any member.
struct anything {
  template <class T>
  operator T() const;  // NOLINT(google-explicit-constructor): that is what it is for.
};

template <class T, std::size_t... Numbers>
constexpr bool takes(std::index_sequence<Numbers...>) {
  return requires {
    T{(static_cast<void>(Numbers), anything{})...};
  };
}

/// How many members an aggregate has.
template <class T, std::size_t Count = 0>
constexpr std::size_t members() {
  if constexpr (takes<T>(std::make_index_sequence<Count + 1>{}))
    return members<T, Count + 1>();
  else
    return Count;
}

TEST(scheduling_keys, are_all_members_of_the_rounds_configuration) {
  // These are lists of structs, which have forms of their own: resources, floating, classes,
  // node_types, indexed_resources, default_tolerations.
  constexpr std::size_t structured = 6;
  const auto all = all_keys();
  const auto rows =
      std::count_if(all.begin(), all.end(), [](const auto& key) { return key.has_value(); });
  EXPECT_EQ(members<scheduling::config>(), static_cast<std::size_t>(rows) + structured)
      << "a member of scheduling::config has no row in runtime/scheduling/keys.cpp";
}

TEST(scheduling_keys, stand_once) {
  std::set<std::string_view> paths;
  for (const auto& key : all_keys()) EXPECT_TRUE(paths.insert(key.path).second) << key.path;
}

TEST(scheduling_keys, have_defaults_within_their_limits_under_every_preset) {
  for (std::size_t i = 0; i < scheduling::preset_names().size(); ++i)
    for (const auto& conf : {scheduling::default_config(static_cast<scheduling::preset>(i)),
                             scheduling::bench_config(static_cast<scheduling::preset>(i))}) {
      const auto ok = check_keys(conf);
      EXPECT_TRUE(ok) << ok.error().detail;
    }
}

TEST(scheduling_keys, take_every_name_of_a_choice_and_no_other) {
  scheduling::config conf;
  for (const auto& key : all_keys()) {
    if (key.kind != key_kind::choice) continue;
    for (const auto name : key.names) {
      const scheduling::key_value value = std::string{name};
      EXPECT_TRUE(key.put(conf, value)) << key.path;
      EXPECT_EQ(key.get(conf), value) << key.path;
    }
    EXPECT_FALSE(key.put(conf, std::string{"nothing"})) << key.path;
  }
}

/// The sample with the keys uncommented that follow the preset: "#cost:", but not "# text".
std::string whole_sample() {
  auto text = read_file(std::string{ARGOSY_SOURCE_DIR} + "/config/argosyd.yaml").value();
  for (std::size_t at = 0; (at = text.find('#', at)) != std::string::npos;)
    if (text.at(at + 1) == ' ')
      ++at;
    else
      text.erase(at, 1);
  return text;
}

TEST(scheduling_keys, stand_in_the_sample_with_their_defaults) {
  sources from;
  from.file = {"argosyd.yaml", whole_sample()};
  const auto sample = load_argosyd(from);
  ASSERT_TRUE(sample) << sample.error().detail;
  const auto usual = scheduling::default_config();
  std::size_t count = 0;
  for (const auto& key : all_keys()) {
    const auto path = "scheduling." + std::string{key.path};
    const auto expected = key.scope == key_scope::section || key.scope == key_scope::pools_too;
    if (key.kind == key_kind::heading) continue;
    EXPECT_EQ(sample->origins.contains(path), expected) << path;
    if (!expected || !key.has_value()) continue;
    EXPECT_EQ(key.get(sample->value.scheduling.keys), key.get(usual)) << path;
    ++count;
  }
  EXPECT_GT(count, 40U);
}

TEST(scheduling_keys, are_explained_by_what_the_sample_says_of_their_names) {
  for (const auto& key : all_keys()) {
    if (key.kind != key_kind::choice || key.path == "preset") continue;
    for (const auto name : key.names) {
      if (key.scope == key_scope::nobody) continue;
      EXPECT_THAT(std::string{key.doc}, ::testing::HasSubstr(std::string{name})) << key.path;
    }
  }
}

std::string load_refusal(std::string_view yaml) {
  const auto loaded = load_scheduling(yaml, "s.yaml");
  return loaded ? "accepted" : loaded.error().detail;
}

TEST(scheduling_keys, are_refused_outside_their_limits_with_place_and_limit) {
  EXPECT_EQ(load_refusal("eviction: {probability: 1.5}\n"),
            "s.yaml:1:25: eviction.probability: must be from 0.0 to 1.0");
  EXPECT_EQ(load_refusal("eviction: {protectedFractionOfFairShare: -1.0}\n"),
            "s.yaml:1:42: eviction.protectedFractionOfFairShare: must be at least 0.0");
  EXPECT_EQ(load_refusal("slices: {queueLeaseBatchSize: 0}\n"),
            "s.yaml:1:31: slices.queueLeaseBatchSize: must be at least 1");
  EXPECT_EQ(load_refusal("slices: {queueLeaseBatchSize: 4294967296}\n"),
            "s.yaml:1:31: slices.queueLeaseBatchSize: must be from 1 to 4294967295");
  EXPECT_EQ(load_refusal("usagePriority: {halftime: 20ms}\n"),
            "s.yaml:1:27: usagePriority.halftime: must be at least 1s");
  EXPECT_EQ(load_refusal("maximumSchedulingRate: -2.0\n"),
            "s.yaml:1:24: maximumSchedulingRate: must be at least 0.0");
  EXPECT_EQ(load_refusal("maximumSchedulingBurst: -2\n"),
            "s.yaml:1:25: maximumSchedulingBurst: '-2' is not a whole number");
  EXPECT_EQ(load_refusal("maximumResourceFractionToSchedule: {cpu: 2}\n"),
            "s.yaml:1:36: maximumResourceFractionToSchedule: 'cpu' must be from 0.0 to 1.0");
  EXPECT_EQ(load_refusal("costMultipliers: {cpu: -1}\n"),
            "s.yaml:1:18: costMultipliers: 'cpu' must be at least 0.0");
  EXPECT_EQ(load_refusal("nodeOrder: []\n"), "s.yaml:1:12: nodeOrder: must name at least one key");
  EXPECT_EQ(load_refusal("nodeOrder: bestFit\n"), "s.yaml:1:12: nodeOrder: must be a list");
  EXPECT_EQ(load_refusal("nodeIndex: exakt\n"),
            "s.yaml:1:12: nodeIndex: 'exakt' is none of exact, rounded; did you mean 'exact'?");
  EXPECT_EQ(load_refusal("defaultPriorityClassName: \"\"\n"),
            "s.yaml:1:27: defaultPriorityClassName: must not be empty");
  EXPECT_EQ(load_refusal("pools: [{name: gpu, protectedFractionOfFairShare: -1}]\n"),
            "s.yaml:1:51: protectedFractionOfFairShare: must be at least 0.0");
}

TEST(scheduling_keys, of_a_pool_may_say_nothing) {
  const auto all =
      load_scheduling("pools: [{name: gpu, disableAway: true, disableGangAway: null}]\n", "s.yaml");
  ASSERT_TRUE(all) << all.error().detail;
  EXPECT_THAT(all->pools.at(0).said, ::testing::ElementsAre("disableAway"));
}

TEST(scheduling_keys, without_limit_are_0_in_files) {
  const auto open = load_scheduling("maximumSchedulingRate: 0.0\n", "s.yaml");
  ASSERT_TRUE(open) << open.error().detail;
  EXPECT_EQ(open->keys.rate, std::numeric_limits<double>::infinity());
  auto copy = *open;
  field_table table;
  describe(table, copy);
  EXPECT_EQ(table.find("maximumSchedulingRate")->bound->print(), "0.0");
  EXPECT_EQ(table.find("maximumSchedulingBurst")->bound->print(), "0");
}

}  // namespace
}  // namespace argosy::settings
