// SPDX-License-Identifier: Apache-2.0
// Goal: gangs start under a rate of job starts, and usage that fades orders who starts without
// taking what is a queue's share. Method: small worlds with few tokens, and with usage.
#include "tests/support/world_fixture.hpp"
#include "tests/support/world_text.hpp"

namespace argosy::scheduling {
namespace {

std::string gang(const std::string& queue, int members) {
  std::string text;
  for (int i = 0; i < members; ++i)
    text += worlds::job({.id = queue + "g" + std::to_string(i),
                         .queue = queue,
                         .gang = queue + "g",
                         .cardinality = members});
  return text;
}

std::string singles(const std::string& queue, int count, int running_on = -1) {
  std::string text;
  for (int i = 0; i < count; ++i) {
    const auto id = queue + std::to_string(1000 + i);
    text += worlds::job({.id = id, .queue = queue, .submitted = 2 + i});
    if (running_on >= 0) text += worlds::run({.job = id, .node = running_on});
  }
  return text;
}

/// One start each second, up to this burst, and the tokens that are left of it.
std::string tokens_of(std::string_view burst, std::string_view left) {
  return worlds::key("maximumSchedulingRate", "1") + worlds::key("maximumSchedulingBurst", burst) +
         worlds::key("tokens", left);
}

const std::initializer_list<preset> rated_presets = {preset::argosy, preset::unified,
                                                     preset::classic, preset::lottery};
const std::string few_tokens = tokens_of("10", "3") +
                               worlds::node({.cpu = 100'000, .memory = 1'000'000}) +
                               worlds::queue("a") + worlds::queue("b");

TEST(job_tokens, become_a_debt_for_a_gang) {
  // Queue b runs ten jobs, so that the gang of a is first.
  const auto text =
      few_tokens + gang("a", 5) + singles("b", 10, 0) + worlds::job({.id = "next", .queue = "b"});
  for (const auto name : rated_presets) {
    const auto what = decide(text, name).what;
    EXPECT_EQ(what.queues[0].leased, 5u) << to_string(name);
  }
  EXPECT_EQ(decide(text).what.tokens_used, 5u);
  EXPECT_EQ(decide(text, preset::current).rows, lines{"S next n0 1000"});
}

TEST(job_tokens, let_a_gang_start_beside_jobs_that_wait_singly) {
  // A token comes in each round, and a job of b's takes it until the gang of a has its turn.
  auto waiting = singles("b", 20);
  int rounds = 0;
  std::size_t leased = 0;
  for (int started = 0; leased == 0 && rounds < 20; ++rounds) {
    auto text = tokens_of("10", "1") + worlds::node({.cpu = 20'000, .memory = 1'000'000}) +
                worlds::queue("a") + worlds::queue("b") + gang("a", 5) + waiting;
    for (int i = 0; i < started; ++i) text += worlds::run({.job = "b" + std::to_string(1000 + i)});
    const auto what = decide(text).what;
    leased = what.queues[0].leased;
    started += static_cast<int>(what.queues[1].leased);
  }
  EXPECT_EQ(leased, 5u);
  EXPECT_LE(rounds, 6);
}

TEST(job_tokens, that_are_a_debt_start_nobody) {
  const auto text =
      tokens_of("10", "-2") + worlds::node({.cpu = 100'000}) + worlds::queue("a") + singles("a", 2);
  EXPECT_TRUE(decide(text).what.leases.empty());
}

TEST(job_tokens, never_suffice_for_a_gang_above_the_burst) {
  // The gang is told so even where no token is left, and holds nobody up.
  for (const auto* tokens : {"3", "0"}) {
    const auto text = tokens_of("4", tokens) + worlds::node({.cpu = 100'000, .memory = 1'000'000}) +
                      worlds::queue("a") + gang("a", 5) + singles("a", 3);
    const auto what = decide(text).what;
    EXPECT_EQ(unplaced_jobs(what)[reason::gang_exceeds_burst], 5u);
    EXPECT_EQ(what.leases.size(), *tokens == '3' ? 3u : 0u);
  }
}

TEST(usage_that_fades, orders_who_starts) {
  const auto usage =
      worlds::key("usagePriority.enabled", "true") + worlds::key("usage", "a=50,b=0.5");
  const auto text = usage + worlds::node({}) + worlds::queue("a") + worlds::queue("b") +
                    singles("a", 4) + singles("b", 4);
  EXPECT_EQ(decide(text).rows,
            (lines{"S b1000 n0 1000", "S b1001 n0 1000", "S b1002 n0 1000", "S b1003 n0 1000"}));
}

TEST(usage_that_fades, takes_nothing_of_a_share) {
  // Queue a has all for long, and is due half; b comes with a hundredth of its usage.
  const auto usage = worlds::key("usagePriority.enabled", "true") +
                     worlds::key("usage", "a=50,b=0.5") +
                     worlds::key("eviction.protectedFractionOfFairShare", "1");
  const auto text = usage + worlds::node({.cpu = 8000}) + worlds::queue("a") + worlds::queue("b") +
                    singles("a", 8, 0) + singles("b", 8);
  for (const auto name : {preset::argosy, preset::unified, preset::classic}) {
    const auto what = decide(text, name).what;
    EXPECT_EQ(what.preemptions.size(), 4u) << to_string(name);
    EXPECT_EQ(what.leases.size(), 4u) << to_string(name);
    EXPECT_EQ(what.queues[0].weight, what.queues[1].weight) << to_string(name);
  }
}

}  // namespace
}  // namespace argosy::scheduling
