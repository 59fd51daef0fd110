// SPDX-License-Identifier: Apache-2.0
// Goal: urgencyVictims is one key: whatever it and the classes are taken from, classes lose their
// place for urgency as it says. What rounds cannot hold is refused. Method: worlds with
// classes of their own over each preset, and single keys.
#include "runtime/scheduling/engine/nodes/matching.hpp"
#include "runtime/scheduling/engine/nodes/node_index.hpp"
#include "tests/support/world_fixture.hpp"
#include "tests/support/world_text.hpp"

namespace argosy::scheduling {
namespace {

/// The classes are top; balanced, preemptible for balance; urgent, preemptible for urgency; kept.
const std::string own_classes = worlds::key("resources", "cpu=1,memory=1000,nvidia.com/gpu=1000") +
                                worlds::key("priorityClass", "top=1000:-:default:-") +
                                worlds::key("priorityClass", "balanced=500:f:-:-") +
                                worlds::key("priorityClass", "urgent=500:u:-:-") +
                                worlds::key("priorityClass", "kept=500:-:-:-");

/// One node that a job of the class fills; a job of class top asks for all of it.
std::string full_of(const std::string& low) {
  return own_classes + worlds::node({.cpu = 1000}) + worlds::queue("a") + worlds::queue("b") +
         worlds::job({.id = "r", .queue = "a", .priority_class = low}) +
         worlds::run({.job = "r", .priority = 500}) +
         worlds::job({.id = "j", .queue = "b", .priority_class = "top"});
}

lines victims(preset name) {
  lines out;
  for (const std::string low : {"balanced", "urgent", "kept"}) {
    const auto what = decide(full_of(low), name, [](config& conf) {
                        conf.evict_for_balance = false;  // With this, only urgency takes places.
                      }).what;
    EXPECT_EQ(what.error, "");
    if (!what.preemptions.empty()) out.push_back(low);
  }
  return out;
}

TEST(victim_flags, are_as_the_preset_says_with_classes_of_a_file) {
  EXPECT_EQ(victims(preset::argosy), lines{"urgent"});
  EXPECT_EQ(victims(preset::current), lines{"balanced"});
  EXPECT_EQ(victims(preset::unified), (lines{"balanced", "urgent", "kept"}));
  EXPECT_EQ(victims(preset::classic), lines{"balanced"});
  EXPECT_EQ(victims(preset::lottery), lines{});
}

TEST(victim_flags, must_be_marked_after_a_change) {
  auto conf = default_config(preset::argosy);
  EXPECT_TRUE(validate(conf));
  conf.classes[1].urgency_preemptible = false;
  EXPECT_TRUE(validate(conf));  // The classes' own flags decide.
  conf.urgency = urgency_rule::any_lower;
  EXPECT_FALSE(validate(conf));
  mark_victims(conf);
  EXPECT_TRUE(validate(conf));
  conf.urgency = urgency_rule::preemptible_lower;
  EXPECT_FALSE(validate(conf));
  mark_victims(conf);
  EXPECT_TRUE(validate(conf));
}

std::string refusal(const config& conf) {
  const auto ok = validate(conf);
  return ok ? "" : ok.error().detail;
}

TEST(class_priorities, are_0_or_more) {
  // Below 0 are the rows of evicted jobs and of other pools' jobs.
  auto conf = default_config(preset::argosy);
  conf.classes[1].priority = 0;
  EXPECT_EQ(refusal(conf), "");
  conf.classes[1].priority = -1;
  EXPECT_EQ(refusal(conf),
            "scheduling.priorityClasses: the priority of 'armada-preemptible' is -1; it must be 0 "
            "or more");
  conf.classes[1].priority = 5;
  conf.node_types = {{"far", {}}};
  conf.classes[0].away = {{0, "far"}};
  EXPECT_EQ(refusal(conf), "");
  conf.classes[0].away = {{0, "far"}, {-2, "far"}};
  EXPECT_EQ(refusal(conf),
            "scheduling.priorityClasses: 'armada-default' is away on 'far' at priority -2; it must "
            "be 0 or more");
}

TEST(away_types, of_a_class_are_limited) {
  auto conf = default_config(preset::argosy);
  conf.node_types = {{"far", {}}};
  conf.classes[0].away.assign(engine::away_types_max, {1, "far"});
  EXPECT_EQ(refusal(conf), "");
  conf.classes[0].away.push_back({1, "far"});
  EXPECT_EQ(refusal(conf),
            "scheduling.priorityClasses: 'armada-default' has 33 awayNodeTypes; a class may have "
            "at most 32");
}

TEST(indexed_resources, are_limited) {
  auto conf = default_config(preset::argosy);
  conf.indexed_resources.clear();
  const auto index_one_more = [&] {
    const auto name = "r" + std::to_string(conf.indexed_resources.size());
    conf.resources.push_back({name, 1});
    conf.indexed_resources.push_back({name, 1});
  };
  while (conf.indexed_resources.size() < engine::indexed_max) index_one_more();
  EXPECT_EQ(refusal(conf), "");
  index_one_more();
  EXPECT_EQ(refusal(conf),
            "scheduling.indexedResources names 17 resources; at most 16 can be indexed, so leave "
            "out those that jobs seldom ask for");
}

}  // namespace
}  // namespace argosy::scheduling
