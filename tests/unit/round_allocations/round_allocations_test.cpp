// SPDX-License-Identifier: Apache-2.0
// Goal: once a round is warm, a decision costs no allocation. Method: operator new counts; the same
// world is decided with some jobs and with four times as many, and the difference may only come
// from lists that double, which is far less than one for each decision.
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "runtime/scheduling/round.hpp"
#include "runtime/scheduling/snap1.hpp"
#include "tests/unit/round_allocations/allocations.hpp"

namespace argosy::scheduling {
namespace {

constexpr int node_count = 400;
constexpr int queue_count = 20;

/// Makes nodes of 32 cpu with a rack each, and queues.
std::string pool() {
  std::string text;
  for (int i = 0; i < node_count; ++i) {
    const auto n = std::to_string(i);
    text += "N " + n + " n" + std::to_string(1000 + i) + " e0 32000 274877906944 0 rack=r" +
            std::to_string(i / 50) + ",feat=f" + std::to_string(i % 7) + " -\n";
  }
  for (int q = 0; q < queue_count; ++q) text += "Q q" + std::to_string(100 + q) + " 1\n";
  return text;
}

struct job_text {
  std::string priority_class = "std";
  std::string cpu = "1000";
  std::string affinity = "-";
  std::string gang = "-";
  int cardinality = 1;
};

class world_text {
 public:
  void queued(const job_text& job) {
    const auto number = std::to_string(10'000'000 + jobs_);
    text_ += "J j" + number + " q" + std::to_string(100 + jobs_ % queue_count) + " " +
             job.priority_class + " 1000 " + std::to_string(1'600'000'000'000'000'000 + jobs_) +
             " " + job.cpu + " 4294967296 0 - - " + job.affinity + " " + job.gang + " " +
             std::to_string(job.cardinality) + " -\n";
    ++jobs_;
  }
  void running(const job_text& job, int node, int priority) {
    const auto number = std::to_string(10'000'000 + jobs_);
    queued(job);
    text_ += "R j" + number + " " + std::to_string(node) + " " +
             std::to_string(1'650'000'000'000'000'000 + jobs_) + " " + std::to_string(priority) +
             "\n";
  }
  void plain(const std::string& lines) { text_ += lines; }
  [[nodiscard]] const std::string& text() const { return text_; }

 private:
  std::string text_ = pool();
  int jobs_ = 0;
};

struct count {
  std::size_t allocations = 0;
  std::size_t decisions = 0;  ///< The number of leases, returns, preemptions and refusals.
};

struct how {
  double protected_fraction = 0.0;
  std::vector<preset> presets = {preset::current, preset::argosy};
  bool penalties = false;    ///< Every queue has had short jobs.
  std::size_t free_of = 20;  ///< One of so many decisions may allocate.
};

count round_of(const world_text& from, preset name, const how& rules) {
  auto conf = bench_config(name);
  conf.protected_fraction = rules.protected_fraction;
  auto world = read_snap1(from.text(), conf);
  if (!world) {
    ADD_FAILURE() << world.error().detail;
    return {};
  }
  if (rules.penalties)
    for (int q = 0; q < queue_count; ++q)
      world->params.penalties.push_back({"q" + std::to_string(100 + q), {{"cpu", 1000 * (q + 1)}}});
  const auto before = allocations;
  const auto what = schedule(world->jobs_and_nodes, world->conf, world->params);
  count out;
  out.allocations = allocations - before;
  EXPECT_EQ(what.error, "");
  EXPECT_EQ(what.violation, "");
  out.decisions = what.leases.size() + what.rescheduled + what.preemptions.size();
  for (const auto& skip : what.skips) out.decisions += skip.jobs;
  return out;
}

/// Checks all presets. `make(n)` is a world where the round decides about n jobs more than in
/// make(0).
template <class Make>
void expect_free(const Make& make, int jobs, const how& rules = {}) {
  for (const auto name : rules.presets) {
    const auto few = round_of(make(jobs), name, rules);
    const auto many = round_of(make(4 * jobs), name, rules);
    ASSERT_GE(many.decisions, few.decisions + static_cast<std::size_t>(2 * jobs));
    const auto more = many.allocations > few.allocations ? many.allocations - few.allocations : 0;
    EXPECT_LT(more, (many.decisions - few.decisions) / rules.free_of)
        << to_string(name) << ": " << few.allocations << " allocations for " << few.decisions
        << " decisions, " << many.allocations << " for " << many.decisions;
  }
}

TEST(round_allocations, none_for_each_new_job) {
  expect_free(
      [](int jobs) {
        world_text world;
        for (int i = 0; i < jobs; ++i) world.queued({.cpu = i % 3 == 0 ? "2000" : "1000"});
        return world;
      },
      1500);
}

TEST(round_allocations, none_for_each_turn_by_weighted_sums_or_with_penalties) {
  const auto make = [](int jobs) {
    world_text world;
    for (int i = 0; i < jobs; ++i) world.queued({.cpu = i % 3 == 0 ? "2000" : "1000"});
    return world;
  };
  expect_free(make, 1500, {.presets = {preset::current, preset::argosy}, .penalties = true});
  // A node goes to another place of the index by users with each job: some leaves come and go.
  for (const bool penalties : {false, true})
    expect_free(make, 1500, {.presets = {preset::classic}, .penalties = penalties, .free_of = 3});
}

TEST(round_allocations, none_for_each_new_job_with_affinity) {
  expect_free(
      [](int jobs) {
        world_text world;
        for (int i = 0; i < jobs; ++i)
          world.queued({.affinity = "feat:In:f" + std::to_string(i % 7) + "|f" +
                                    std::to_string((i + 3) % 7)});
        return world;
      },
      1500);
}

TEST(round_allocations, none_for_each_member_of_a_gang) {
  expect_free(
      [](int jobs) {
        world_text world;
        for (int i = 0; i < jobs; ++i)
          world.queued(
              {.gang = "g" + std::to_string(i / queue_count / 4 * queue_count + i % queue_count),
               .cardinality = 4});
        return world;
      },
      1600);
}

TEST(round_allocations, none_for_each_returning_job) {
  expect_free(
      [](int jobs) {
        world_text world;
        for (int i = 0; i < jobs; ++i) world.running({}, i % node_count, 1000);
        // It has the first turn and finds no room, so that all others are evicted and return.
        world.queued({.priority_class = "urgent", .cpu = "64000"});
        return world;
      },
      2000);
}

TEST(round_allocations, none_for_each_job_of_a_known_key) {
  expect_free(
      [](int jobs) {
        world_text world;
        for (int i = 0; i < jobs; ++i) world.queued({.cpu = "64000"});
        return world;
      },
      2000);
}

TEST(round_allocations, none_for_each_urgent_job_and_its_victims) {
  expect_free(
      [](int jobs) {
        world_text world;
        for (int i = 0; i < 32 * node_count; ++i)
          world.running({.priority_class = "low"}, i / 32, 500);
        for (int i = 0; i < jobs; ++i) world.queued({.priority_class = "urgent", .cpu = "4000"});
        return world;
      },
      600, {.protected_fraction = 1.0});
}

}  // namespace
}  // namespace argosy::scheduling
