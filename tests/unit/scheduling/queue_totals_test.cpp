// SPDX-License-Identifier: Apache-2.0
// Goal: what the jobs of all classes of a queue may use together is never exceeded by a round, and
// takes nothing away from what runs. Method: small worlds with such a limit, which are L lines of
// the class "-".
#include "tests/support/world_fixture.hpp"
#include "tests/support/world_text.hpp"

namespace argosy::scheduling::queue_totals {
namespace {

std::string limit(const std::string& text) {
  return "L " + text + "\n";
}

std::string job(const std::string& id, const std::string& cls, int cpu = 1000,
                const std::string& queue = "a") {
  return worlds::job({.id = id, .queue = queue, .priority_class = cls, .cpu = cpu});
}

const std::string node = worlds::node({.name = "n", .cpu = 8000});
const std::string a_and_b = worlds::queue("a") + worlds::queue("b");

TEST(queue_totals, count_the_jobs_of_all_classes) {
  const auto text = node + a_and_b + limit("a - cpu 0.5") + job("u", "urgent", 3000) +
                    job("v", "std", 2000) + job("w", "low", 1000) + job("x", "low", 4000, "b");
  const auto outcome = decide(text, preset::argosy);
  EXPECT_EQ(outcome.rows, (lines{"S u n 2000", "S w n 500", "S x n 500"}));
  ASSERT_EQ(outcome.what.refusals.size(), 1u);
  EXPECT_EQ(outcome.what.refusals[0].code, reason::queue_total_limit);
}

TEST(queue_totals, are_ignored_where_the_key_says_so) {
  const auto text = node + a_and_b + limit("a - cpu 0.25") + job("u", "urgent", 3000);
  EXPECT_EQ(decide(text, preset::argosy).rows, lines{});
  EXPECT_EQ(decide(text, preset::current).rows, (lines{"S u n 2000"}));
  const auto off = [](config& conf) { conf.queue_totals = false; };
  EXPECT_EQ(decide(text, preset::argosy, off).rows, (lines{"S u n 2000"}));
  EXPECT_EQ(decide("C queueResourceLimits true\n" + text, preset::current).rows, lines{});
}

TEST(queue_totals, hold_only_jobs_that_request_the_resource) {
  const auto text =
      node + a_and_b + limit("a - cpu 0.125") +
      worlds::job({.id = "r", .queue = "a", .cpu = 2000}) + worlds::run({.job = "r"}) +
      worlds::job({.id = "m", .queue = "a", .cpu = 0, .memory = 1}) + job("c", "std", 1);
  EXPECT_EQ(decide(text, preset::argosy).rows, (lines{"S m n 1000"}));
}

TEST(queue_totals, cap_what_the_queue_wants) {
  const auto text =
      node + a_and_b + limit("a - cpu 0.25") + job("c", "std", 6000) + job("d", "low", 6000);
  const auto what = decide(text, preset::argosy).what;
  EXPECT_DOUBLE_EQ(what.queues.at(0).demand_share, 0.25);
}

TEST(queue_totals, count_jobs_that_were_evicted_and_may_return) {
  // All jobs of queue a are evicted, and one of a higher class comes before they return. If they
  // did not count, it would start and they would return as well.
  const auto text = node + a_and_b + limit("a - cpu 0.5") + job("r1", "low", 2000) +
                    worlds::run({.job = "r1", .priority = 500}) + job("r2", "low", 2000) +
                    worlds::run({.job = "r2", .priority = 500}) + job("u", "urgent", 1000) +
                    job("x", "std", 1000, "b");
  for (const bool evicted_first : {true, false}) {
    const auto outcome = decide(text, preset::argosy, [&](config& conf) {
      conf.protected_fraction = 0;
      conf.evicted_first = evicted_first;
    });
    EXPECT_EQ(outcome.rows, (lines{"S x n 1000"})) << evicted_first;
  }
}

TEST(queue_totals, are_read_once_for_each_resource_and_without_a_pool) {
  const auto refused = [](const std::string& text) {
    const auto read = read_snap1(text, bench_config(preset::argosy));
    return read ? "accepted" : read.error().detail;
  };
  EXPECT_EQ(refused("L a - cpu 0.5\nL a - cpu 0.5\n"),
            "line 2: a limit of this queue and resource stands twice");
  EXPECT_EQ(refused("L a - cpu 0.5 default\n"), "line 1: a limit of all classes has no pool");
}

}  // namespace
}  // namespace argosy::scheduling::queue_totals
