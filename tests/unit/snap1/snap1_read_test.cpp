// SPDX-License-Identifier: Apache-2.0
// Goal: lines of SNAP1 mean what they say, whatever the configuration below them says, and what is
// no value of a field is refused with its line. Method: one line is read over a configuration, and
// its member or the refusal looked at.
#include "tests/support/world_fixture.hpp"

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
  EXPECT_EQ(refusal(job + "R j 0 1 1000 - stopping\n"), "");
  EXPECT_EQ(refusal(job + "R j 0 1 1000 - -\n"), "");
  EXPECT_EQ(refusal(job + "R j 0 1 1000 - stopped\n"),
            "line 4: 'stopped' is neither stopping nor '-'");
}

/// The message about a C line that is read alone.
std::string of_key(const std::string& line) {
  return refusal("C " + line + "\n");
}

TEST(snap1_settings, flags_are_true_or_false) {
  EXPECT_TRUE(read_over(bench_config(), "enablePreferLargeJobOrdering", "true").prefer_large_jobs);
  auto base = bench_config();
  base.prefer_large_jobs = true;
  EXPECT_FALSE(read_over(base, "enablePreferLargeJobOrdering", "false").prefer_large_jobs);
  for (const std::string text : {"True", "1", "yes", "-"})
    EXPECT_EQ(of_key("enablePreferLargeJobOrdering " + text),
              "line 1: '" + text + "' is neither true nor false");
}

TEST(snap1_settings, choices_are_of_the_names_that_there_are) {
  EXPECT_EQ(of_key("queueSelection pregressiveFilling"),
            "line 1: 'pregressiveFilling' is none of progressiveFilling, slicesThenLottery, "
            "lottery");
  EXPECT_EQ(of_key("queueSelection 3"),
            "line 1: '3' is none of progressiveFilling, slicesThenLottery, lottery");
  EXPECT_EQ(of_key("nodeOrder noPreemption,bestFit,bestFit"),
            "line 1: nodeOrder names 'bestFit' twice");
  EXPECT_EQ(of_key("queueOrder name"), "line 1: must be [class, cost, name] or [cost, name]");
  EXPECT_EQ(of_key("eviction.probability 1.5"),
            "line 1: eviction.probability must be from 0.0 to 1.0");
  EXPECT_EQ(of_key("slices 5"), "line 1: unknown configuration key 'slices'");
}

TEST(snap1_settings, numbers_are_within_their_range) {
  EXPECT_EQ(of_key("maxQueueLookback -5"),
            "line 1: '-5' is not a whole number from 0 to 18446744073709551615");
  EXPECT_EQ(of_key("sliceBatch -1"), "line 1: '-1' is not a whole number from 1 to 4294967295");
  EXPECT_EQ(of_key("sliceBatch 4294967297"),
            "line 1: '4294967297' is not a whole number from 1 to 4294967295");
  EXPECT_EQ(of_key("usageHalfTime 0"),
            "line 1: '0' is not a whole number from 1 to 9223372036854775807");
  EXPECT_EQ(of_key("shortJobCutoff -1"),
            "line 1: '-1' is not a whole number from 0 to 9223372036854775807");
  EXPECT_EQ(of_key("resources cpu=0"),
            "line 1: '0' is not a whole number from 1 to 9223372036854775807");
  EXPECT_EQ(of_key("indexedSteps cpu=0"),
            "line 1: '0' is not a whole number from 1 to 9223372036854775807");
  EXPECT_EQ(of_key("floatingSteps licence=-3"),
            "line 1: '-3' is not a whole number from 0 to 9223372036854775807");
  EXPECT_EQ(of_key("penalty q:cpu=-1"),
            "line 1: '-1' is not a whole number from 0 to 1125899906842624");
  EXPECT_EQ(of_key("protectedFractionOfFairShare nan"), "line 1: 'nan' is not a number");
  EXPECT_EQ(of_key("tokens nan"), "line 1: 'nan' is not a number");
  EXPECT_EQ(of_key("queueTokens q=-2.5"), "");  // This is a debt.
  EXPECT_EQ(of_key("costMultipliers cpu=-1"), "line 1: '-1' is not a finite number from 0 on");
  EXPECT_EQ(of_key("usage q=inf"), "line 1: 'inf' is not a finite number from 0 on");
}

TEST(snap1_settings, classes_are_of_the_words_that_there_are) {
  const std::string range = "' is not a whole number from 0 to 2147483647";
  EXPECT_EQ(of_key("priorityClass x=0:fu::-"), "");
  EXPECT_EQ(of_key("priorityClass x=0:-:-:-"), "");
  for (const std::string text : {"-5", "-1", "5000000000", "2147483648"}) {
    EXPECT_EQ(of_key("priorityClass x=" + text + ":f:-:-"), "line 1: '" + text + range);
    EXPECT_EQ(of_key("wellKnownNodeTypes t=\nC awayNodeTypes std=" + text + ":t"),
              "line 2: '" + text + range);
  }
  EXPECT_EQ(of_key("priorityClass x=0:F:-:-"), "line 1: 'F' is no flag of a class; there are f, u");
  EXPECT_EQ(of_key("priorityClass x=0:f:Default:-"),
            "line 1: 'Default' is neither default nor '-'");
  EXPECT_EQ(of_key("priorityClass x=0:f:-:cpu=-1"),
            "line 1: '-1' is not a finite number from 0 on");
  EXPECT_EQ(of_key("wellKnownNodeTypes t=\nC awayNodeTypes sdt=5:t"),
            "line 2: there is no priority class 'sdt'");
}

TEST(snap1_lines, have_all_their_fields_and_no_more) {
  EXPECT_EQ(refusal("Q a\n"), "line 1: not a C, N, Q, L, J or R record with all its fields");
  EXPECT_EQ(refusal("Q a 1 cordoned now\n"), "line 1: a record Q has at most 4 fields, not 5");
  EXPECT_EQ(refusal("Q a 1 \n"),
            "line 1: field 4 is empty; fields stand by single blanks, and '-' is nothing");
  EXPECT_EQ(refusal("N 0 n e 1 1 0 - - - - \n"),
            "line 1: field 12 is empty; fields stand by single blanks, and '-' is nothing");
  EXPECT_EQ(refusal("N 0 n  1 1 0 - - - - -\n"),
            "line 1: field 4 is empty; fields stand by single blanks, and '-' is nothing");
}

TEST(snap1_lines, hold_the_words_that_there_are) {
  const std::string node = "N 0 n e 1 1 0 - - ";
  for (const std::string word : {"-", "unschedulable"}) EXPECT_EQ(refusal(node + word + "\n"), "");
  for (const std::string word : {"cordonned", "Unschedulable", "true"})
    EXPECT_EQ(refusal(node + word + "\n"),
              "line 1: '" + word + "' is neither unschedulable nor '-'");
  for (const std::string word : {"-", "cordoned"}) EXPECT_EQ(refusal("Q a 1 " + word + "\n"), "");
  for (const std::string word : {"cordonned", "Cordoned"})
    EXPECT_EQ(refusal("Q a 1 " + word + "\n"),
              "line 1: '" + word + "' is neither cordoned nor '-'");
}

TEST(snap1_lines, stand_once) {
  EXPECT_EQ(refusal("N 0 n e 1 1 0 - -\nN 1 n e 2 2 0 - -\n"),
            "line 2: a node of this id stands twice");
  EXPECT_EQ(refusal("Q a 1\nQ b 1\nQ a 2\n"), "line 3: a queue of this name stands twice");
  EXPECT_EQ(refusal("Q a 1\nL a std cpu 0.5\nL a std cpu 0.5 left\nL a low cpu 0.5\n"), "");
  EXPECT_EQ(refusal("Q a 1\nL a std cpu 0.5\nL a std memory 0.5\nL a std cpu 0.7\n"),
            "line 4: a limit of this queue, class, resource and pool stands twice");
  EXPECT_EQ(refusal("N 0 n e 1 1 0 - - - r=1,s=1,r=2\n"), "line 1: 'r' stands twice");
}

TEST(snap1_lines, number_nodes_in_their_order) {
  EXPECT_EQ(refusal("N 0 a e 1 1 0 - -\nN 1 b e 1 1 0 - -\n"), "");
  EXPECT_EQ(refusal("N 1 a e 1 1 0 - -\nN 0 b e 1 1 0 - -\n"),
            "line 1: '1' is not the number of this node; nodes count from 0 in the order of their "
            "lines");
}

TEST(snap1_lines, hold_numbers_within_their_range) {
  for (const std::string text : {"0", "0.5", "1", "7"}) {
    EXPECT_EQ(refusal("Q a " + text + "\n"), "");
    EXPECT_EQ(refusal("L a std cpu " + text + "\n"), "");
  }
  for (const std::string text : {"-3", "nan", "inf", "-inf"}) {
    const auto why = text == "nan" ? "line 1: 'nan' is not a number"
                                   : "line 1: '" + text + "' is not a finite number from 0 on";
    EXPECT_EQ(refusal("Q a " + text + "\n"), why);
    EXPECT_EQ(refusal("L a std cpu " + text + "\n"), why);
  }
}

/// The message about a job with this priority, cardinality and minimum.
std::string of_job(const std::string& priority, const std::string& cardinality,
                   const std::string& minimum) {
  return refusal("Q q 1\nJ j q std " + priority + " 1 1 1 0 - - - g " + cardinality + " - - - " +
                 minimum + "\n");
}

TEST(snap1_lines, hold_numbers_of_jobs_within_their_range) {
  const std::string range = "' is not a whole number from 0 to 4294967295";
  EXPECT_EQ(of_job("4294967295", "4294967295", "4294967295"), "");
  EXPECT_EQ(of_job("0", "0", "0"), "");
  for (const std::string text : {"-1", "4294967296", "4294967297"}) {
    EXPECT_EQ(of_job(text, "2", "2"), "line 2: '" + text + range);
    EXPECT_EQ(of_job("0", text, "2"), "line 2: '" + text + range);
    EXPECT_EQ(of_job("0", "2", text), "line 2: '" + text + range);
  }
}

TEST(snap1_runs, are_at_priorities_that_classes_can_have) {
  const std::string job = "N 0 n e 1000 1000 0 - -\nQ q 1\nJ j q std 0 1 1 1 0 - - - - 1 -\n";
  EXPECT_EQ(refusal(job + "R j 0 1 0\n"), "");
  for (const std::string text : {"-1", "-5", "2147483648"})
    EXPECT_EQ(refusal(job + "R j 0 1 " + text + "\n"),
              "line 4: '" + text + "' is not a whole number from 0 to 2147483647");
}

TEST(snap1_pools, are_the_default_one_where_a_dash_stands) {
  const std::string text =
      "N 0 n e 1000 1000 0 - - - - -\nQ q 1\nJ r q std 0 1 500 1 0 - - - - 1 -\nR r 0 1 1000 -\n"
      "J j q std 0 1 500 1 0 - - - - 1 -\n";
  const auto open = decide(text);
  EXPECT_EQ(open.rows, lines{"S j n 1000"});
  ASSERT_EQ(open.what.queues.size(), 1u);
  EXPECT_DOUBLE_EQ(open.what.queues[0].cost_before, 0.5);
  EXPECT_EQ(decide(text + "L q std cpu 0.5 -\n").rows, lines{});
}

}  // namespace
}  // namespace argosy::scheduling
