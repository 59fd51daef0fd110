// SPDX-License-Identifier: Apache-2.0
// Goal: a run gives way for balance only once it has lasted as long as its class asks for, and a
// round comes when it has. Method: one node that a queue has for itself while another one waits.
#include <chrono>

#include "runtime/scheduling/between/wake.hpp"
#include "tests/support/world_fixture.hpp"

namespace argosy::scheduling {
namespace {

using std::chrono::nanoseconds;

/// Queue a runs jobs of one core, begun at these moments, and b waits with one.
std::string full_of_runs(const std::vector<int>& begun, const std::string& gang = "- 1",
                         const std::string& cls = "std") {
  std::string text = "N 0 n e " + std::to_string(1000 * begun.size()) +
                     " 1000 0 - -\nQ a 1\nQ b 1\nJ b b " + cls + " 0 1 1000 1 0 - - - - 1 -\n";
  for (std::size_t i = 0; i < begun.size(); ++i) {
    const auto id = "r" + std::to_string(i);
    text += "J " + id + " a std 0 1 1000 1 0 - - - " + gang + " - - - -\nR " + id + " 0 " +
            std::to_string(begun[i]) + " 1000\n";
  }
  return text;
}

struct aged_outcome {
  lines rows;
  std::optional<nanoseconds> wake;
};

aged_outcome decide_at(int now, const std::string& text, preset name = preset::argosy) {
  auto conf = bench_config(name);
  conf.protected_fraction = 0.5;
  conf.gang_loss_factor = 1e6;
  for (auto& each : conf.classes) each.min_run_time_ns = 100;
  auto world = read_snap1("C roundTime " + std::to_string(now) + "\n" + text, conf);
  EXPECT_TRUE(world) << world.error().detail;
  const auto what = schedule(world->jobs_and_nodes, world->conf, world->params);
  EXPECT_EQ(what.error + what.violation, "");
  return {split_lines(decisions(*world, what)), wake_after(world->conf, world->params, what)};
}

TEST(min_run_time, spares_younger_runs_and_wakes_when_the_first_is_of_age) {
  for (const auto name : {preset::argosy, preset::unified, preset::classic}) {
    const auto young = decide_at(150, full_of_runs({60, 70}), name);
    EXPECT_EQ(young.rows, lines{});
    EXPECT_EQ(young.wake, nanoseconds{10});
    const auto one = decide_at(160, full_of_runs({60, 70}), name);
    EXPECT_EQ(one.rows, (lines{"P r0 n", "S b n 1000"})) << "the older one is the only victim";
    EXPECT_FALSE(one.wake);
    EXPECT_EQ(decide_at(200, full_of_runs({60, 70}), name).rows.size(), 2U);
  }
}

TEST(min_run_time, of_the_youngest_member_counts_for_a_gang) {
  const auto text = full_of_runs({10, 70}, "G 2");
  EXPECT_EQ(decide_at(169, text).rows, lines{});
  EXPECT_EQ(decide_at(169, text).wake, nanoseconds{1});
  EXPECT_EQ(decide_at(170, text).rows, (lines{"P r0 n", "P r1 n", "S b n 1000"}));
}

TEST(min_run_time, protects_from_no_higher_class) {
  EXPECT_EQ(decide_at(71, full_of_runs({60, 70}, "- 1", "urgent")).rows,
            (lines{"P r1 n", "S b n 2000"}));
}

TEST(min_run_time, wakes_nobody_while_nobody_waits) {
  const auto text = full_of_runs({60, 70});
  const auto waiting = text.find("J b b");
  EXPECT_FALSE(
      decide_at(150, text.substr(0, waiting) + text.substr(text.find('\n', waiting) + 1)).wake);
}

TEST(min_run_time, stands_in_worlds_of_text) {
  const auto text = "C priorityClass p=5:fu:default:-:100\nC roundTime 150\n";
  const auto world = read_snap1(text, bench_config(preset::argosy));
  ASSERT_TRUE(world) << world.error().detail;
  EXPECT_EQ(world->conf.classes.back().min_run_time_ns, 100);
  EXPECT_NE(
      write_snap1(world->jobs_and_nodes, world->conf, world->params).find("p=5:fu:default:-:100"),
      std::string::npos);
}

TEST(min_run_time, is_not_negative) {
  auto conf = bench_config(preset::argosy);
  conf.classes.front().min_run_time_ns = -1;
  const auto checked = validate(conf);
  ASSERT_FALSE(checked);
  EXPECT_NE(checked.error().detail.find("minRunTime"), std::string::npos);
}

}  // namespace
}  // namespace argosy::scheduling
