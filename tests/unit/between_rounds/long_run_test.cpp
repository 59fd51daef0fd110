// SPDX-License-Identifier: Apache-2.0
// Goal: over many rounds a queue that had more than another gets less afterwards, until both have
// had the like. Method: jobs that last from one round to the next, in rounds that follow each
// other.
#include <map>
#include <vector>

#include "tests/unit/between_rounds/carry_over_fixture.hpp"

namespace argosy::scheduling {
namespace {

class long_run : public ::testing::Test {
 protected:
  long_run() {
    s.conf.usage_priority = true;
    s.conf.usage_half_time_ns = 600 * second;
  }

  /// Jobs of a quarter of the pool. Those that a round does not start wait for the next.
  void fill(const std::string& queue) {
    for (; waiting[queue] < 4; ++waiting[queue]) {
      job_row job;
      job.id.bytes[14] = static_cast<std::uint8_t>(next >> 8);
      job.id.bytes[15] = static_cast<std::uint8_t>(next++);
      job.queue = queue;
      job.shape = *s.world.intern({"std", {{"cpu", 25'000}}, {}, {}, {}});
      EXPECT_TRUE(s.world.upsert_job(job));
      queue_of[job.id] = queue;
    }
  }

  /// Decides so many rounds, a minute apart, and returns how many jobs of each queue they started.
  std::map<std::string, int> rounds(int count, const std::vector<std::string>& queues) {
    std::map<std::string, int> out;
    for (; count > 0; --count) {
      for (const auto& job : running) s.world.remove_job(job);
      running.clear();
      for (const auto& queue : queues) fill(queue);
      const auto what = s.at(now += 60 * second);
      for (const auto& lease : what.leases) {
        const auto& queue = queue_of.at(lease.job);
        ++out[queue];
        --waiting[queue];
        running.push_back(lease.job);
      }
    }
    return out;
  }

  stage s;
  std::int64_t now = 1'000 * second;
  std::uint16_t next = 1;
  std::map<std::string, int> waiting;
  std::map<ulid, std::string> queue_of;
  std::vector<ulid> running;
};

TEST_F(long_run, gives_less_to_a_queue_that_had_more_until_both_are_even) {
  EXPECT_EQ(rounds(30, {"a"})["a"], 120) << "nobody else wants anything";
  const auto soon = rounds(10, {"a", "b"});
  EXPECT_GE(soon.at("b"), 2 * soon.at("a")) << soon.at("a") << " and " << soon.at("b");
  EXPECT_EQ(soon.at("a") + soon.at("b"), 40) << "nothing is left idle";
  rounds(60, {"a", "b"});
  const auto later = rounds(20, {"a", "b"});
  EXPECT_NEAR(later.at("a"), later.at("b"), 4);
}

TEST_F(long_run, gives_both_the_same_where_usage_does_not_weigh) {
  s.conf.usage_priority = false;
  rounds(30, {"a"});
  const auto soon = rounds(10, {"a", "b"});
  EXPECT_NEAR(soon.at("a"), soon.at("b"), 2);
}

}  // namespace
}  // namespace argosy::scheduling
