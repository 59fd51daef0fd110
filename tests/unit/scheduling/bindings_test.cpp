// SPDX-License-Identifier: Apache-2.0
// Goal: who is where, what is free, and who may come back agree after every change, and undoing
// leaves no trace. Method: the three parts over a small world, moved at random with a fixed seed.
#include "runtime/scheduling/engine/nodes/bindings.hpp"

#include <random>

#include "runtime/scheduling/engine/nodes/returning_table.hpp"
#include "tests/support/world_fixture.hpp"
#include "tests/support/world_text.hpp"

namespace argosy::scheduling::engine {
namespace {

class bound_jobs : public ::testing::Test {
 protected:
  bound_jobs() : world_(read()), nodes_(tables(), world_.conf, {}, tables().pools.find("default")) {
    room_.emplace(nodes_);
    bound_.emplace(nodes_, *room_);
    table_.emplace(nodes_, *room_);
  }

  static snap1_world read() {
    auto text = worlds::queue("q");
    for (int n = 0; n < 3; ++n) text += worlds::node({.number = n, .cpu = 10'000});
    for (int j = 0; j < 9; ++j) {
      const auto name = "j" + std::to_string(j);
      text += worlds::job({.id = name, .priority_class = j % 2 == 0 ? "low" : "std", .cpu = 1000});
      if (j < 6)
        text += worlds::run({.job = name, .node = j % 3, .priority = j % 2 == 0 ? 500 : 1000});
    }
    return read_snap1(text, bench_config(preset::argosy)).value();
  }
  [[nodiscard]] const scheduling::tables& tables() const { return world_.jobs_and_nodes.data(); }
  [[nodiscard]] std::uint32_t shape_of(std::uint32_t job) const { return tables().jobs[job].shape; }

  /// What is free on the node in the row, by adding up who is there.
  [[nodiscard]] std::int64_t counted(std::uint32_t node, std::uint32_t row) const {
    auto left = nodes_.total(node)[0];
    for (std::uint32_t job = 0; job < tables().jobs.size(); ++job) {
      const bool here = bound_->is_bound(job) || bound_->holds_room(job);
      if (!here || bound_->node_of(job) != node) continue;
      const auto counts = bound_->is_bound(job) ? nodes_.rows.upto(bound_->priority(job)) : 1;
      if (row < counts) left -= tables().amounts(shape_of(job))[0];
    }
    return left;
  }
  void expect_agreement() const {
    for (std::uint32_t node = 0; node < nodes_.count(); ++node)
      for (std::uint32_t row = 0; row < nodes_.rows.count(); ++row)
        ASSERT_EQ(room_->free(node, row)[0], counted(node, row)) << node << " in row " << row;
  }
  void evict(std::uint32_t job) {
    bound_->evict(job, shape_of(job), bound_->node_of(job), bound_->priority(job));
  }
  /// One change that a trial may make.
  void move(std::uint32_t job, std::uint32_t node) {
    if (bound_->is_bound(job)) return bound_->drop_bound(job, shape_of(job));
    if (!bound_->holds_room(job))
      return bound_->bind(job, shape_of(job), node, bound_->priority(job));
    ASSERT_TRUE(table_->strike(job));
    if (node == 0) return bound_->drop_evicted(job, shape_of(job));
    bound_->bind(job, shape_of(job), bound_->node_of(job), bound_->priority(job));
  }
  void enter(const std::vector<std::uint32_t>& jobs) {
    std::vector<table_entry> entries;
    for (const auto job : jobs)
      entries.push_back({job, shape_of(job), bound_->node_of(job), 0, 1, 0, bound_->priority(job)});
    table_->enter(std::move(entries));
  }

  snap1_world world_;
  node_columns nodes_;
  std::optional<room> room_;
  std::optional<bindings> bound_;
  std::optional<returning_table> table_;
};

TEST_F(bound_jobs, agree_with_the_room_that_is_left) {
  expect_agreement();
  evict(0);
  evict(3);
  expect_agreement();
  EXPECT_TRUE(bound_->holds_room(0));
  EXPECT_FALSE(bound_->is_bound(0));
  bound_->drop_evicted(0, shape_of(0));
  EXPECT_TRUE(bound_->has_left(0));
  EXPECT_TRUE(bound_->was_pushed_out(0));
  bound_->bind(3, shape_of(3), 0, 1000);
  bound_->bind(8, shape_of(8), 2, 500);
  expect_agreement();
}

TEST_F(bound_jobs, are_as_before_when_a_trial_is_undone) {
  for (const auto job : {0U, 1U, 3U}) evict(job);
  enter({3, 0, 1});
  std::mt19937 random(7);
  for (int trial = 0; trial < 200; ++trial) {
    std::vector<std::int64_t> before;
    std::vector<std::uint32_t> places;
    const auto note = [&](std::vector<std::int64_t>& amounts, std::vector<std::uint32_t>& alive) {
      for (std::uint32_t node = 0; node < nodes_.count(); ++node)
        for (std::uint32_t row = 0; row < nodes_.rows.count(); ++row)
          amounts.push_back(room_->free(node, row)[0]);
      for (std::uint32_t place = 0; place < 3; ++place) alive.push_back((*table_)[place].alive);
    };
    note(before, places);
    const auto growths = room_->changes().growths();
    bound_->begin();
    table_->begin();
    room_->begin();
    for (int change = 0; change < 8; ++change) move(random() % 9, random() % 3);
    expect_agreement();
    bound_->undo();
    table_->undo();
    room_->undo();
    expect_agreement();
    std::vector<std::int64_t> after;
    std::vector<std::uint32_t> still;
    note(after, still);
    ASSERT_EQ(after, before);
    ASSERT_EQ(still, places);
    ASSERT_EQ(room_->changes().growths(), growths);
  }
}

TEST_F(bound_jobs, come_back_at_their_place_in_the_table) {
  for (const auto job : {0U, 1U, 3U}) evict(job);
  enter({3, 0, 1});
  EXPECT_EQ(table_->place_of(0), 1U);
  EXPECT_EQ(table_->place_of(5), none);
  EXPECT_EQ(table_->places_end(0) - table_->places_begin(0), 2) << "of jobs 3 and 0";
  EXPECT_TRUE(table_->strike(1));
  EXPECT_FALSE(table_->strike(1)) << "it is not there any more";
  EXPECT_FALSE(table_->strike(5)) << "it never was";
  table_->begin();
  EXPECT_EQ(table_->end(), 2U) << "job 1, the last one, is gone for good";
  EXPECT_TRUE(table_->strike(0));
  table_->trim(0);
  EXPECT_EQ(table_->places_end(0) - table_->places_begin(0), 2) << "it may come back";
  table_->commit();
  table_->trim(0);
  EXPECT_EQ(table_->places_end(0) - table_->places_begin(0), 1);
}

}  // namespace
}  // namespace argosy::scheduling::engine
