// SPDX-License-Identifier: Apache-2.0
// Goal: an operator ends the quarantine of a node, which is then trusted like a new one, whatever
// is still told of the time before. Method: one core that was quarantined.
#include <gtest/gtest.h>

#include "runtime/ledger/node_core.hpp"

namespace argosy::ledger {
namespace {

using namespace std::chrono_literals;

class released_node : public ::testing::Test {
 protected:
  released_node() {
    model::node_info info;
    info.name = "n1";
    info.total = info.allocatable = {{"cpu", 4000}};
    node.set_info(info);
  }
  void run_ends(run_verdict verdict, boot_time at) {
    const model::run_key run{ulid_from_hash(1, 0, ++runs), 1};
    node.bind(run, {});
    node.unbind(run, verdict, at);
  }
  static model::health_record health_of(double failure, std::uint32_t runs, std::int64_t time_ns) {
    model::health_record out;
    out.machine = {1 - failure, runs, runs - 1, time_ns};
    return out;
  }

  node_core node{"c", "p"};
  std::uint64_t runs = 0;
};

TEST_F(released_node, is_judged_anew) {
  for (int i = 0; i < 3; ++i) run_ends(run_verdict::refused, 1s);
  EXPECT_TRUE(node.release(7));
  EXPECT_EQ(node.state(), node_state::ready);
  EXPECT_EQ(node.tick_due(), boot_time::max());
  EXPECT_FALSE(node.release(8)) << "it is in no quarantine";
  for (int i = 0; i < 2; ++i) run_ends(run_verdict::refused, 2s);
  EXPECT_EQ(node.state(), node_state::ready) << "two are not three";
  run_ends(run_verdict::refused, 2s);
  EXPECT_EQ(node.tick_due(), 32s) << "the first period again";
}

TEST_F(released_node, may_have_been_on_trial) {
  for (int i = 0; i < 3; ++i) run_ends(run_verdict::refused, 1s);
  node.tick(31s);
  ASSERT_EQ(node.state(), node_state::ready);
  EXPECT_TRUE(node.release(7));
  run_ends(run_verdict::lost, 32s);
  EXPECT_EQ(node.state(), node_state::ready) << "one more failure is not enough";
}

TEST_F(released_node, is_not_quarantined_for_what_was_before) {
  for (int i = 0; i < 3; ++i) run_ends(run_verdict::refused, 1s);
  ASSERT_TRUE(node.release(500));
  auto late = health_of(0.9, 9, 500);
  node.judge(late, 2s);
  EXPECT_EQ(node.state(), node_state::ready);
  late.quarantine = {600, 200, "an earlier leader said so"};
  static_cast<void>(node.take_dirty());
  node.restore(late, 60s, 2s);
  EXPECT_EQ(node.state(), node_state::ready);
  EXPECT_TRUE(node.dirty()) << "it has to be told that the node takes work";
  node.judge(health_of(0.9, 9, 501), 3s);
  EXPECT_EQ(node.state(), node_state::quarantined);
}

}  // namespace
}  // namespace argosy::ledger
