// SPDX-License-Identifier: Apache-2.0
// Goal: the estimates find the node or the queue that fails runs, and nobody else. Method: worlds
// in which the truth is known give random outcomes; the estimates are compared with it.
#include <gmock/gmock.h>

#include <set>

#include "runtime/base/random.hpp"
#include "runtime/ledger/health/health_core.hpp"

namespace argosy::ledger {
namespace {

constexpr std::int64_t second = 1'000'000'000;

class health : public ::testing::Test {
 protected:
  void end(const model::node_path& node, const model::queue_name& queue, run_verdict verdict) {
    now += second / 10;
    core.ended({queue, node, verdict, "because of " + node, {++position}, now});
  }

  /// Runs of queues q0 to q3 end on nodes c/n0 to c/n7, each `rounds` times.
  template <class Fails>
  void live(int rounds, run_verdict failure, Fails fails) {
    for (int i = 0; i < rounds * 32; ++i) {
      const model::node_path node{"c/n" + std::to_string(random.next() % 8)};
      const model::queue_name queue{"q" + std::to_string(random.next() % 4)};
      end(node, queue, fails(node, queue) ? failure : run_verdict::succeeded);
    }
    changed = core.settle();
  }

  [[nodiscard]] double machine(const model::node_path& node) const {
    return core.node(node, now).machine.failure();
  }
  [[nodiscard]] double results(const model::node_path& node) const {
    return core.node(node, now).results.failure();
  }
  [[nodiscard]] double queue(const std::string& name) const {
    return core.queue_failure(model::queue_name{name}, now);
  }

  void expect_only_node_fails(const std::string& bad) {
    for (int i = 0; i < 8; ++i) {
      const model::node_path node{"c/n" + std::to_string(i)};
      if (node == bad)
        EXPECT_GT(machine(node), 0.8) << node;
      else
        EXPECT_LT(machine(node), 0.3) << node;
    }
  }
  void expect_only_queue_fails(const std::string& bad) {
    for (int i = 0; i < 4; ++i) {
      const auto name = "q" + std::to_string(i);
      if (name == bad)
        EXPECT_GT(queue(name), 0.8) << name;
      else
        EXPECT_LT(queue(name), 0.4) << name;
    }
  }

  health_core core{{}};
  std::int64_t now = 1000 * second;
  std::uint64_t position = 0;
  seeded_random random{1};
  std::set<model::node_path> changed;
};

TEST_F(health, finds_a_bad_node_among_good_ones_and_slows_no_queue) {
  live(20, run_verdict::lost, [](const auto& node, const auto&) { return node == "c/n3"; });
  expect_only_node_fails("c/n3");
  expect_only_queue_fails("none");
}

TEST_F(health, finds_a_queue_that_loses_its_runs_and_blames_no_node) {
  live(20, run_verdict::lost, [](const auto&, const auto& name) { return name == "q2"; });
  expect_only_node_fails("none");
  expect_only_queue_fails("q2");
}

TEST_F(health, tells_a_bad_node_and_a_bad_queue_apart) {
  live(40, run_verdict::lost,
       [](const auto& node, const auto& name) { return node == "c/n3" || name == "q2"; });
  expect_only_node_fails("c/n3");
  expect_only_queue_fails("q2");
}

TEST_F(health, users_failures_never_count_against_machines) {
  live(20, run_verdict::failed, [](const auto&, const auto&) { return true; });
  expect_only_node_fails("none");
  for (int i = 0; i < 4; ++i) EXPECT_GT(queue("q" + std::to_string(i)), 0.5);
}

TEST_F(health, users_failures_on_one_node_are_known_apart) {
  live(20, run_verdict::failed, [](const auto& node, const auto&) { return node == "c/n3"; });
  expect_only_node_fails("none");
  EXPECT_GT(results("c/n3"), 0.8);
  EXPECT_LT(results("c/n4"), 0.3);
  expect_only_queue_fails("none");
}

TEST_F(health, a_refused_start_is_the_nodes_alone) {
  for (int i = 0; i < 20; ++i) end("c/n0", "q0", run_verdict::refused);
  EXPECT_THAT(core.settle(), ::testing::ElementsAre("c/n0"));
  EXPECT_GT(machine("c/n0"), 0.9);
  EXPECT_EQ(core.node("c/n0", now).last_failure, "because of c/n0");
  EXPECT_EQ(queue("q0"), 0);
}

TEST_F(health, what_is_lost_at_once_is_one_failure) {
  for (int i = 0; i < 20; ++i) core.ended({"q0", "c/n0", run_verdict::lost, "power cut", {7}, now});
  static_cast<void>(core.settle());
  EXPECT_EQ(core.node("c/n0", now).machine.failed, 1U);
}

TEST_F(health, stays_away_from_zero_and_one) {
  for (int i = 0; i < 1000; ++i) end("c/n0", "q0", run_verdict::lost);
  for (int i = 0; i < 1000; ++i) end("c/n1", "q1", run_verdict::succeeded);
  static_cast<void>(core.settle());
  EXPECT_LT(machine("c/n0"), 1);
  EXPECT_GT(machine("c/n1"), 0);
  EXPECT_LT(machine("c/n1"), 0.02);
}

TEST_F(health, that_is_too_old_is_unknown) {
  for (int i = 0; i < 20; ++i) end("c/n0", "q0", run_verdict::lost);
  static_cast<void>(core.settle());
  const auto last = now;
  now = last + health_config{}.memory.count() - 1;
  EXPECT_EQ(core.node("c/n0", now).machine.runs, 20U);
  EXPECT_EQ(core.slowed(now).count("q0"), 1U);
  now = last + health_config{}.memory.count();
  EXPECT_EQ(core.node("c/n0", now).machine, model::estimate{});
  EXPECT_TRUE(core.slowed(now).empty());
  end("c/n0", "q0", run_verdict::succeeded);
  static_cast<void>(core.settle());
  EXPECT_EQ(core.node("c/n0", now).machine.runs, 1U) << "it begins anew";
}

TEST_F(health, slows_a_queue_by_its_failures_times_the_setting) {
  for (int i = 0; i < 9; ++i) end("c/n0", "q0", run_verdict::failed);
  static_cast<void>(core.settle());
  EXPECT_TRUE(core.slowed(now).empty()) << "nine runs say nothing";
  end("c/n0", "q0", run_verdict::failed);
  static_cast<void>(core.settle());
  EXPECT_DOUBLE_EQ(core.slowed(now).at("q0"), 0.5 * queue("q0"));
}

TEST_F(health, of_a_node_begins_anew_with_the_end_of_its_quarantine) {
  for (int i = 0; i < 20; ++i) end("c/n0", "q0", run_verdict::lost);
  static_cast<void>(core.settle());
  core.set_quarantine("c/n0", {now + second, second, "it failed"});
  EXPECT_EQ(core.node("c/n0", now).quarantine.why, "it failed");
  EXPECT_EQ(core.node("c/n0", now).machine.runs, 20U);
  core.set_quarantine("c/n0", {});
  EXPECT_EQ(core.node("c/n0", now).machine.runs, 0U);
}

TEST_F(health, of_a_released_node_begins_anew_and_leaves_out_what_was_before) {
  for (int i = 0; i < 20; ++i) end("c/n0", "q0", run_verdict::lost);
  static_cast<void>(core.settle());
  core.set_quarantine("c/n0", {now + second, second, "it failed"});
  static_cast<void>(core.take_changes());
  end("c/n0", "q0", run_verdict::lost);
  core.release("c/n0", now);
  core.ended({"q0", "c/n0", run_verdict::lost, "told late", {++position}, now});
  EXPECT_THAT(core.settle(), ::testing::IsEmpty());
  EXPECT_EQ(core.node("c/n0", now), model::health_record{});
  const auto changes = core.take_changes();
  ASSERT_EQ(changes.size(), 1U);
  EXPECT_EQ(changes[0].name, "c/n0");
  EXPECT_TRUE(changes[0].gone);
  end("c/n0", "q0", run_verdict::lost);
  EXPECT_THAT(core.settle(), ::testing::ElementsAre("c/n0"));
  EXPECT_EQ(core.node("c/n0", now).machine.runs, 1U);
}

TEST_F(health, does_not_depend_on_the_order_in_which_batches_arrive) {
  health_core other{{}};
  std::vector<run_outcome> outcomes;
  for (std::uint64_t i = 0; i < 200; ++i)
    outcomes.push_back({model::queue_name{"q" + std::to_string(random.next() % 3)},
                        model::node_path{"c/n" + std::to_string(random.next() % 3)},
                        random.next() % 2 == 0 ? run_verdict::succeeded : run_verdict::lost,
                        "why",
                        {i},
                        now + static_cast<std::int64_t>(i)});
  for (const auto& each : outcomes) core.ended(each);
  for (auto at = outcomes.rbegin(); at != outcomes.rend(); ++at) other.ended(*at);
  EXPECT_EQ(core.settle(), other.settle());
  EXPECT_EQ(core.take_changes(), other.take_changes());
}

TEST_F(health, is_the_same_for_a_leader_that_takes_over) {
  std::map<std::pair<model::carried_entry::kind, std::string>, model::carried_entry> kept;
  for (int i = 0; i < 30; ++i) {
    live(1, i % 2 == 0 ? run_verdict::lost : run_verdict::failed,
         [&](const auto& node, const auto&) { return node == "c/n3" || random.next() % 4 == 0; });
    if (i % 5 == 0) core.set_quarantine("c/n3", {now + i * second, second, "it failed"});
    if (i % 7 == 0) core.forget_node(model::node_path{"c/n" + std::to_string(random.next() % 8)});
    if (i % 9 == 0) core.forget_queue(model::queue_name{"q" + std::to_string(random.next() % 4)});
    for (auto more = core.take_changes(3); !more.empty(); more = core.take_changes(3))
      for (const auto& entry : more) kept[{entry.what, entry.name}] = entry;
    health_core heir{{}};
    for (const auto& [key, entry] : kept) heir.restore(entry);
    for (int n = 0; n < 8; ++n) {
      const model::node_path node{"c/n" + std::to_string(n)};
      ASSERT_EQ(heir.node(node, now), core.node(node, now)) << node;
    }
    ASSERT_EQ(heir.slowed(now), core.slowed(now));
  }
}

/// The last run of a node or queue may end just before it goes.
TEST_F(health, keeps_nothing_of_what_went_before_its_last_outcome_was_taken) {
  end("c/n0", "q0", run_verdict::lost);
  end("c/n1", "q0", run_verdict::succeeded);
  core.forget_node("c/n0");
  core.forget_queue("q0");
  EXPECT_THAT(core.settle(), ::testing::ElementsAre("c/n1"));
  for (const auto& entry : core.take_changes())
    EXPECT_EQ(entry.gone, entry.name != "c/n1") << entry.name;
  EXPECT_EQ(core.node("c/n0", now), model::health_record{});
  EXPECT_GT(core.node("c/n1", now).machine.runs, 0U);
}

}  // namespace
}  // namespace argosy::ledger
