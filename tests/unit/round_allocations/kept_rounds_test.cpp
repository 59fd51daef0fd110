// SPDX-License-Identifier: Apache-2.0
// Goal: a round on what lives on costs what changed and not what there is, and what lives on takes
// a bounded amount of memory for each node and each queued job. Method: what does not depend on the
// machine is counted: nodes that are measured, and memory that is asked for; pools of two sizes are
// compared, in which the same jobs come and end.
#include <gtest/gtest.h>
#include <malloc.h>

#include <algorithm>
#include <memory>
#include <string>
#include <vector>

#include "runtime/scheduling/pool_state.hpp"
#include "runtime/scheduling/tables.hpp"
#include "tests/unit/round_allocations/allocations.hpp"

namespace argosy::scheduling {
namespace {

constexpr int queues_of_pool = 50;

/// Nodes of 32 cores with two jobs of 16 cores each, and jobs that wait.
class full_pool {
 public:
  full_pool(int nodes, int queued) {
    for (int n = 0; n < nodes; ++n) {
      node_row row;
      row.id = node_of(n);
      row.executor = "c" + std::to_string(n % 50);
      row.pool = "default";
      row.total = {{"cpu", 32'000}, {"memory", std::int64_t{128} << 30}};
      EXPECT_TRUE(snap.upsert_node(row));
    }
    for (int q = 0; q < queues_of_pool; ++q)
      EXPECT_TRUE(snap.upsert_queue({queue_of(q), 1.0, false, {}}));
    shape_row shape;
    const auto gives_way = [](const auto& of) { return of.fair_share_preemptible; };
    const auto of = std::ranges::find_if(conf->classes, gives_way);
    shape.priority_class = of->name;
    priority_ = of->priority;
    for (const int cores : {16, 8, 24, 32}) {
      shape.requests = {{"cpu", cores * 1000}, {"memory", std::int64_t{4} << 30}};
      shapes_.push_back(snap.intern(shape).value());
    }
    for (int n = 0; n < nodes; ++n)
      for (int i = 0; i < 2; ++i) start(job(2 * n + i, 0), node_of(n));
    for (int i = 0; i < queued; ++i) wait();
    snap.settle();
  }

  /// Half as many running jobs end as there are changes, and as many jobs come.
  void change(int changes) {
    for (int i = 0; i < changes / 2; ++i) {
      snap.remove_job(running_[ended_]);
      ended_ += 2;  // Both jobs of a node would leave it empty.
      wait();
    }
    snap.settle();
  }
  void carry_out(const plan& made) {
    for (const auto& lease : made.leases) {
      const auto& record = snap.data().jobs[lease.job_index];
      job_row row;
      row.id = lease.job;
      row.queue = snap.data().queues[record.queue].name;
      row.shape = record.shape;
      row.submit_ns = record.submit_ns;
      start(row, std::string{snap.node_id(lease.node)});
    }
    for (const auto& lost : made.preemptions) snap.remove_job(lost.job);
    snap.settle();
  }
  [[nodiscard]] plan decide(pool_state& state) const { return state.decide(snap, conf, {}); }

  std::shared_ptr<const config> conf = std::make_shared<const config>(default_config());
  snapshot snap{*conf};

 private:
  static std::string node_of(int n) { return "node" + std::to_string(1'000'000 + n); }
  static std::string queue_of(int q) { return "queue" + std::to_string(100 + q); }
  job_row job(int number, std::size_t shape) {
    job_row row;
    ++born_;
    for (int i = 0; i < 8; ++i) row.id.bytes[15 - i] = static_cast<std::uint8_t>(born_ >> (8 * i));
    row.queue = queue_of(number % queues_of_pool);
    row.shape = shapes_[shape];
    row.submit_ns = static_cast<std::int64_t>(born_);
    return row;
  }
  void wait() {
    const auto number = static_cast<int>(born_);
    EXPECT_TRUE(snap.upsert_job(job(number, 1 + born_ % 3)));
  }
  void start(job_row row, const std::string& node) {
    row.run = run_row{node, row.submit_ns, priority_, "default", false};
    running_.push_back(row.id);
    EXPECT_TRUE(snap.upsert_job(row));
  }

  std::vector<shape_id> shapes_;
  std::vector<ulid> running_;
  std::size_t ended_ = 0;
  std::uint64_t born_ = 0;
  std::int32_t priority_ = 0;
};

/// The most that one of some rounds cost on what lived on.
struct round_cost {
  std::uint64_t measured = 0;
  std::size_t allocations = 0;
  std::size_t bytes = 0;
  std::size_t decisions = 0;
};

round_cost cost_of(int nodes, int changes) {
  full_pool pool(nodes, 20'000);
  pool_state state;
  pool.carry_out(pool.decide(state));
  round_cost most;
  for (int round = 0; round < 6; ++round) {
    pool.change(changes);
    const auto calls = allocations;
    const auto bytes = allocated_bytes;
    const auto made = pool.decide(state);
    // The first rounds still make room that later ones use again.
    if (round > 1) {
      most.allocations = std::max(most.allocations, allocations - calls);
      most.bytes = std::max(most.bytes, allocated_bytes - bytes);
      most.measured = std::max(most.measured, state.measured());
      most.decisions += made.leases.size() + made.preemptions.size();
    }
    EXPECT_EQ(made.error + made.violation, "");
    pool.carry_out(made);
  }
  EXPECT_EQ(state.made_anew(), 1U);
  return most;
}

TEST(kept_rounds, cost_what_has_changed) {
  const auto small = cost_of(10'000, 100);
  const auto large = cost_of(100'000, 100);
  EXPECT_GT(large.decisions, 100U);
  // A change is that of one node, and so is a decision, which is taken back and comes again.
  EXPECT_LE(large.measured, 1'000U);
  EXPECT_LE(large.measured, small.measured + 100);
  EXPECT_LE(large.allocations, small.allocations + small.allocations / 4);
  // A byte for each node would be 90,000 more. Zeros that nobody writes are not asked for here.
  EXPECT_LE(large.bytes, small.bytes + 50'000);
}

std::int64_t bytes_of_state(int nodes, int queued) {
  full_pool pool(nodes, queued);
  pool_state state;
  const auto held = [] {
    const auto info = mallinfo2();
    return static_cast<std::int64_t>(info.uordblks + info.hblkhd);
  };
  const auto before = held();
  for (int round = 0; round < 3; ++round) {
    const auto made = pool.decide(state);
    EXPECT_EQ(made.error + made.violation, "");
  }
  return held() - before;
}

TEST(kept_rounds, hold_two_kib_for_a_node_and_two_hundred_bytes_for_a_queued_job) {
  const auto usual = bytes_of_state(20'000, 20'000);
  const auto of_node = (bytes_of_state(60'000, 20'000) - usual) / 40'000;
  const auto of_job = (bytes_of_state(20'000, 220'000) - usual) / 200'000;
  EXPECT_LE(of_node, 2'048) << "with two running jobs";
  EXPECT_LE(of_job, 200);
}

}  // namespace
}  // namespace argosy::scheduling
