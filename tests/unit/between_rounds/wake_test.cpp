// SPDX-License-Identifier: Apache-2.0
// Goal: another round comes when time alone may let a waiting job start, and does not come when it
// cannot. Method: rounds on small worlds, and what is said of their plans.
#include "runtime/scheduling/between/wake.hpp"

#include "runtime/scheduling/between/carry_over.hpp"
#include "tests/support/world_fixture.hpp"

namespace argosy::scheduling {
namespace {

using std::chrono::nanoseconds;
using namespace std::chrono_literals;
using delay = std::optional<nanoseconds>;

/// Queue a runs four of four cores; b waits for one, or nobody waits.
std::string full(bool waiting = true) {
  std::string text = "N 0 n e 4000 1000 0 - -\nQ a 1\nQ b 1\n";
  for (int i = 0; i < 4; ++i) {
    const auto id = "r" + std::to_string(i);
    text += "J " + id + " a std 0 1 1000 1 0 - - - - 1 -\nR " + id + " 0 1 1000\n";
  }
  return text + (waiting ? "J b b std 0 1 1000 1 0 - - - - 1 -\n" : "");
}

struct outcome {
  plan what;
  delay after;
};

outcome decide_and_ask(const std::string& text, const std::function<void(config&)>& adjust,
                       const std::function<void(round_params&)>& with = {},
                       std::optional<std::int64_t> penalty_end = {}) {
  auto conf = bench_config(preset::argosy);
  conf.protected_fraction = 1;
  adjust(conf);
  auto world = read_snap1(text, conf);
  EXPECT_TRUE(world) << world.error().detail;
  if (with) with(world->params);
  auto what = schedule(world->jobs_and_nodes, world->conf, world->params);
  EXPECT_EQ(what.error + what.violation, "");
  const auto after = wake_after(world->conf, world->params, what, penalty_end);
  return {std::move(what), after};
}

void nothing(config&) {}

TEST(wake, does_not_come_for_jobs_that_time_does_not_help) {
  const auto too_large = full() + "J c b std 0 1 9000 1 0 - - - - 1 -\n";
  EXPECT_EQ(decide_and_ask(too_large, nothing).after, delay{});
  EXPECT_EQ(decide_and_ask(full(false), nothing).after, delay{});
}

TEST(wake, comes_at_once_where_tokens_lack) {
  EXPECT_EQ(decide_and_ask(
                full(), [](config& conf) { conf.rate = 1, conf.burst = 1; },
                [](round_params& params) { params.tokens = 0; })
                .after,
            delay{0ns});
}

TEST(wake, comes_at_once_where_the_draw_missed_a_node) {
  const auto half = [](config& conf) { conf.eviction_probability = 0.5; };
  bool missed = false;
  bool met = false;
  for (std::uint64_t seed = 0; seed < 20; ++seed) {
    const auto made =
        decide_and_ask(full(), half, [&](round_params& params) { params.seed = seed; });
    if (made.what.preemptions.empty()) {
      missed = true;
      EXPECT_EQ(made.what.spared_by_draw, 4u);
      EXPECT_EQ(made.after, delay{0ns});
    } else {
      met = true;
      EXPECT_EQ(made.what.spared_by_draw, 0u);
      EXPECT_EQ(made.after, delay{});
    }
    // Nobody waits, so that the draw does not matter.
    EXPECT_EQ(
        decide_and_ask(full(false), half, [&](round_params& params) { params.seed = seed; }).after,
        delay{});
  }
  EXPECT_TRUE(missed && met);
  const auto never = [](config& conf) { conf.eviction_probability = 0; };
  EXPECT_EQ(decide_and_ask(full(), never).after, delay{});
}

TEST(wake, comes_while_usage_is_on_its_way) {
  // Queue b used so much that it is due less than one core. That usage fades.
  const auto usage = [](config& conf) {
    conf.usage_priority = true;
    conf.usage_half_time_ns = std::chrono::nanoseconds{64min}.count();
  };
  const auto with = [](double a, double b) {
    return [=](round_params& params) { params.usage_priority = {{"a", a}, {"b", b}}; };
  };
  EXPECT_EQ(decide_and_ask(full(), usage, with(4, 1000)).after, delay{1min});
  EXPECT_EQ(decide_and_ask(full(false), usage, with(4, 1000)).after, delay{});
  // The queues are weighed by what they use, and nothing changes that.
  const auto larger = full(false) + "J c b std 0 1 9000 1 0 - - - - 1 -\n";
  const auto arrived = decide_and_ask(larger, usage, with(2 * 4, 0.5));
  ASSERT_TRUE(arrived.what.preemptions.empty());
  EXPECT_EQ(arrived.after, delay{1min});
  EXPECT_EQ(decide_and_ask(larger, usage, with(arrived.what.queues[0].usage_cores, 0.5)).after,
            delay{});
  // If no job leaves for balance, shares move nobody.
  EXPECT_EQ(
      decide_and_ask(
          full(), [&](config& conf) { usage(conf), conf.evict_for_balance = false; }, with(4, 1000))
          .after,
      delay{});
}

TEST(wake, comes_when_a_penalty_ends) {
  const auto waits = full() + "J c b std 0 1 9000 1 0 - - - - 1 -\n";
  const auto now = [](round_params& params) { params.round_time_ns = 100; };
  EXPECT_EQ(decide_and_ask(waits, nothing, now, 5'000).after, delay{4'900ns});
  EXPECT_EQ(decide_and_ask(waits, nothing, now, 50).after, delay{0ns});
  EXPECT_EQ(decide_and_ask(full(false), nothing, now, 5'000).after, delay{});
}

TEST(wake, comes_at_once_where_tokens_of_a_resource_lack) {
  EXPECT_EQ(decide_and_ask(
                full(),
                [](config& conf) {
                  conf.resource_rate = {{"cpu", 1.0}};
                  conf.resource_burst = {{"cpu", 1.0}};
                },
                [](round_params& params) {
                  params.resource_tokens = {{"cpu", 0.0}};
                })
                .after,
            delay{0ns});
}

}  // namespace
}  // namespace argosy::scheduling
