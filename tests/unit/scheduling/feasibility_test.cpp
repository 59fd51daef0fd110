// SPDX-License-Identifier: Apache-2.0
// Goal: a gang is feasible if and only if it could be placed with all that may be taken for it.
// Method: the parts of a round over small worlds, in which the test evicts and numbers by itself.
#include "runtime/scheduling/engine/queues/feasibility.hpp"

#include <cstdint>
#include <utility>

#include "tests/support/world_fixture.hpp"
#include "tests/support/world_text.hpp"

namespace argosy::scheduling::engine {
namespace {

// The room of a pool lives on for weeks, and grows more often in them than 32 bits can count. A
// refusal that was never given would then be taken for one that stands.
static_assert(sizeof(std::declval<const change_log&>().growths()) == sizeof(std::uint64_t));

class feasible_gangs : public ::testing::Test {
 protected:
  /// Reads the world and makes the parts of a round of it.
  void read(const std::string& text, preset name = preset::argosy) {
    auto got = read_snap1(text, bench_config(name));
    ASSERT_TRUE(got) << got.error().detail;
    world_.emplace(std::move(*got));
    parts_.emplace(tables(), world_->conf, world_->params, tables().pools.find("default"));
    judge_.emplace(*parts_);
  }
  [[nodiscard]] const scheduling::tables& tables() const { return world_->jobs_and_nodes.data(); }

  [[nodiscard]] std::uint32_t number(const std::string& name) const {
    for (std::uint32_t job = 0; job < tables().jobs.size(); ++job)
      if (world_->job_name(tables().jobs[job].id) == name) return job;
    return none;
  }
  /// Evicts the jobs, each of which has its turn at that cost.
  void evict(const std::vector<std::pair<std::string, double>>& turns) {
    for (const auto& [name, cost] : turns) {
      const auto job = number(name);
      parts_->bound.evict(job, tables().jobs[job].shape, parts_->bound.node_of(job),
                          parts_->bound.priority(job));
    }
    auto& best = judge_->best();
    best.begin_numbering(!turns.empty());
    std::vector<table_entry> table;
    for (const auto& [name, cost] : turns) {
      const auto job = number(name);
      const auto turn = best.note_turn({1000, 0, cost, 0, 1});
      table.push_back({job, tables().jobs[job].shape, parts_->bound.node_of(job), 1, 1, turn,
                       parts_->bound.priority(job)});
    }
    parts_->table.enter(std::move(table));
    best.end_numbering();
  }
  [[nodiscard]] bool feasible(const std::vector<std::string>& names, double cost = 0) {
    gang g;
    for (const auto& name : names) {
      offer o;
      o.job = number(name);
      o.shape = tables().jobs[o.job].shape;
      o.gang = tables().jobs[o.job].gang;
      g.offers.push_back(o);
    }
    const auto cut = judge_->best().cut_of({1000, 0, cost, 0, 0});
    return g.offers.size() == 1 ? judge_->of_job(g.offers.front().shape, cut)
                                : judge_->of_gang(g, cut);
  }

  static std::string two_nodes() {
    return worlds::node({.number = 0, .cpu = 4000}) + worlds::node({.number = 1, .cpu = 2000}) +
           worlds::queue("q") + worlds::queue("r");
  }
  static std::string job(const std::string& name, std::int64_t cpu,
                         const std::string& cls = "std") {
    return worlds::job({.id = name, .priority_class = cls, .cpu = cpu});
  }
  static std::string running(const std::string& name, int at, std::int64_t cpu,
                             const std::string& cls = "std") {
    return worlds::job({.id = name, .queue = "r", .priority_class = cls, .cpu = cpu}) +
           worlds::run({.job = name, .node = at, .priority = cls == "low" ? 500 : 1000});
  }
  static std::string member(const std::string& name, std::int64_t cpu, int members,
                            int minimum = 0) {
    return worlds::job(
        {.id = name, .cpu = cpu, .gang = "g", .cardinality = members, .minimum = minimum});
  }

 private:
  std::optional<snap1_world> world_;
  std::optional<world> parts_;
  std::optional<feasibility> judge_;
};

TEST_F(feasible_gangs, fit_on_a_node_that_suits) {
  read(two_nodes() + job("a", 4000) + job("b", 4001) +
       worlds::job({.id = "c", .selector = "zone=none"}));
  EXPECT_TRUE(feasible({"a"}));
  EXPECT_FALSE(feasible({"b"}));
  EXPECT_FALSE(feasible({"c"}));
}

TEST_F(feasible_gangs, may_take_the_room_of_lower_jobs_for_urgency) {
  read(two_nodes() + running("x", 0, 3000, "low") + running("y", 1, 1000) + job("a", 4000) +
       job("b", 4000, "low"));
  EXPECT_TRUE(feasible({"a"}));
  EXPECT_FALSE(feasible({"b"}));
}

TEST_F(feasible_gangs, may_take_the_room_of_evicted_jobs_with_later_turns) {
  read(two_nodes() + running("x", 0, 2000) + running("y", 0, 1000) + job("a", 3000));
  EXPECT_FALSE(feasible({"a"}));
  evict({{"x", 0.2}, {"y", 0.5}});
  EXPECT_TRUE(feasible({"a"}, 0.1));
  EXPECT_FALSE(feasible({"a"}, 0.3));  // Without x only 2000 are left.
  EXPECT_TRUE(feasible({"a"}, 0.1));
  EXPECT_FALSE(feasible({"a"}, 0.6));
}

TEST_F(feasible_gangs, know_the_latest_rank_up_to_a_turn) {
  // A smaller rank behind a larger one of its queue has its turn after that.
  read(two_nodes() + running("x", 0, 1000) + running("y", 0, 3000) + job("a", 3000));
  evict({{"x", 0.5}, {"y", 0.2}});
  EXPECT_TRUE(feasible({"a"}, 0.4));
  EXPECT_FALSE(feasible({"a"}, 0.6));
}

TEST_F(feasible_gangs, need_room_on_all_nodes_together) {
  read(two_nodes() + member("a", 2000, 4) + member("b", 2000, 4) + member("c", 2000, 4) +
       member("d", 2000, 4));
  EXPECT_FALSE(feasible({"a", "b", "c", "d"}));
  read(two_nodes() + member("a", 2000, 4, 3) + member("b", 2000, 4, 3) + member("c", 2000, 4, 3) +
       member("d", 64000, 4, 3));
  EXPECT_TRUE(feasible({"a", "b", "c", "d"}));
}

TEST_F(feasible_gangs, are_not_taken_for_those_whose_label_no_node_has) {
  const auto pair = [](const std::string& name, const std::string& label) {
    std::string text;
    for (const auto* number : {"0", "1"})
      text += worlds::job(
          {.id = name + number, .gang = name, .cardinality = 2, .uniformity_label = label});
    return text;
  };
  read(two_nodes() + pair("a", "rack") + pair("b", "-"));
  EXPECT_FALSE(feasible({"a0", "a1"}));
  EXPECT_TRUE(feasible({"b0", "b1"}));
}

TEST_F(feasible_gangs, take_nothing_where_nobody_is_preempted) {
  read(two_nodes() + running("x", 0, 1000, "low") + job("a", 4000), preset::lottery);
  EXPECT_FALSE(feasible({"a"}));
}

}  // namespace
}  // namespace argosy::scheduling::engine
