// SPDX-License-Identifier: Apache-2.0
// Goal: C lines of SNAP1 mean what they say, whatever the configuration below them says. Method:
// one line is read over a configuration, and its member looked at.
#include "tests/unit/scheduling/world_fixture.hpp"

namespace argosy::scheduling {
namespace {

config read_over(const config& base, const std::string& key, const std::string& value) {
  const auto world = read_snap1("C " + key + " " + value + "\n", base);
  EXPECT_TRUE(world) << world.error().detail;
  return world ? world->conf : config{};
}

std::int64_t resolution(const std::string& name, const std::string& quantity) {
  const auto conf = read_over(bench_config(), "indexedResources", name + "=" + quantity);
  return conf.indexed_resources.empty() ? -1 : conf.indexed_resources.front().resolution;
}

std::int64_t floating_total(const std::string& quantity) {
  const auto conf = read_over(bench_config(), "floatingResources", "licence=" + quantity);
  return conf.floating.empty() ? -1 : conf.floating.front().total;
}

TEST(snap1_quantity, resolutions_round_up_to_steps) {
  EXPECT_EQ(resolution("cpu", "1m"), 1);
  EXPECT_EQ(resolution("cpu", "3"), 3000);
  EXPECT_EQ(resolution("cpu", "0.5"), 500);
  EXPECT_EQ(resolution("memory", "1"), 1);
  EXPECT_EQ(resolution("memory", "1500m"), 2);
  EXPECT_EQ(resolution("memory", "512Mi"), std::int64_t{512} << 20);
  EXPECT_EQ(resolution("memory", "1.5Gi"), std::int64_t{1536} << 20);
  EXPECT_EQ(resolution("memory", "2M"), 2'000'000);
  EXPECT_EQ(resolution("memory", "1e3"), 1000);
}

TEST(snap1_quantity, totals_round_down_to_pieces) {
  EXPECT_EQ(floating_total("25"), 25);
  EXPECT_EQ(floating_total("0"), 0);
  EXPECT_EQ(floating_total("2500m"), 2);
  EXPECT_EQ(floating_total("4k"), 4000);
}

TEST(snap1_quantity, what_is_none_is_refused_with_its_line) {
  for (const std::string text : {"", "x", "1.2.3", "5x", "-1", "99999999999999999999"}) {
    const auto world = read_snap1("C floatingResources licence=" + text + "\n", bench_config());
    ASSERT_FALSE(world) << text;
    EXPECT_EQ(world.error().detail.substr(0, 9 + text.size()), "line 1: '" + text);
  }
}

TEST(snap1_settings, a_dash_is_nothing) {
  auto base = bench_config();
  base.default_tolerations = {{"team", "x", false, ""}};
  base.default_uniformity_label = "rack";
  EXPECT_TRUE(read_over(base, "defaultTolerations", "-").default_tolerations.empty());
  EXPECT_EQ(read_over(base, "defaultUniformityLabel", "-").default_uniformity_label, "");
  const auto types = read_over(base, "wellKnownNodeTypes", "gpu=").node_types;
  ASSERT_EQ(types.size(), 1u);
  EXPECT_TRUE(types[0].taints.empty());
}

std::string refusal(const std::string& text) {
  const auto world = read_snap1(text, bench_config());
  return world ? "" : world.error().detail;
}

TEST(snap1_runs, are_of_jobs_and_nodes_that_are_there) {
  const std::string job = "N 0 n e 1000 1000 0 - -\nQ q 1\nJ j q std 0 1 1 1 0 - - - - 1 -\n";
  EXPECT_EQ(refusal(job + "R j 0 1 1000\n"), "");
  EXPECT_EQ(refusal(job + "R k 0 1 1000\n"), "line 4: there is no job of this id to run");
  EXPECT_EQ(refusal(job + "R j 0 1 1000\nR j 0 2 1000\n"),
            "line 5: a run of this job stands twice");
  EXPECT_EQ(refusal(job + "R j 1 1 1000\n"), "line 4: there is no node 1");
}

}  // namespace
}  // namespace argosy::scheduling
