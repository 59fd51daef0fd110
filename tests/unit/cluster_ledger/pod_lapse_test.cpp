// SPDX-License-Identifier: Apache-2.0
// Goal: where an agent says that the leases of its pods lapse, its runs are given up once and after
// their pods are gone, as those of processes; where it does not, no time gives one up.
// Method: one core of backend kubernetes; all orders of what can happen to one run, its agent and
// its link, as far as they are short, with an agent that ends its pods when their lease has passed.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/unit/cluster_ledger/cluster_fixture.hpp"

namespace argosy::ledger {
namespace {

using namespace std::chrono_literals;
using model::run_phase;
using ::testing::ElementsAre;
using ::testing::IsEmpty;

/// When the log says that runs were leased, before a hello of the agent or after it.
constexpr std::int64_t before = -5;
constexpr std::int64_t after = 7;

model::start_run leased_at(std::uint64_t number, std::int64_t leased_ns) {
  auto out = start_of(number);
  out.leased_ns = leased_ns;
  return out;
}

desired_run known(std::uint64_t number, std::int64_t leased_ns) {
  return {leased_at(number, leased_ns), model::stop_cause::none, "", true};
}

struct pod_lapse : ::testing::Test {
  pod_lapse() { c.hello_message.cluster.backend = model::kubernetes_backend; }

  void hello(bool lapse, std::vector<model::known_run> runs = {}) {
    c.hello_message.lapse = lapse;
    ASSERT_TRUE(c.hello(std::move(runs)));
  }
  /// Whether the order for the run says that it lapses.
  bool start(std::uint64_t number, std::int64_t leased_ns = after) {
    c.start({leased_at(number, leased_ns)});
    const auto sent = c.effects<send_orders>();
    return !sent.empty() && sent.at(0).orders.start.at(0).lapses;
  }
  std::vector<model::run_key> lapsed_in(boot_time span) {
    c.tick(span);
    std::vector<model::run_key> out;
    for (const auto& one : c.effects<expire_leases>())
      out.insert(out.end(), one.runs.begin(), one.runs.end());
    return out;
  }
  static model::known_run has(std::uint64_t number) {
    return {run_of(number), "q", run_phase::running, "n1"};
  }
  cluster_driver c;
};

TEST_F(pod_lapse, gives_runs_up_after_lease_and_kill_grace_and_not_before) {
  hello(true);
  EXPECT_TRUE(start(1));
  EXPECT_THAT(lapsed_in(c.core.lease_horizon() - c.now - 1ms), IsEmpty());
  EXPECT_GE(c.core.lease_horizon(), c.now + 1ms);
  EXPECT_THAT(lapsed_in(1ms), ElementsAre(run_of(1)));
  EXPECT_FALSE(c.effects<expire_leases>().at(0).abandoned) << "its agent may come back";
  c.over(1);
  c.core.expired({run_of(1)});
  EXPECT_THAT(lapsed_in(1h), IsEmpty()) << "once";
  ASSERT_TRUE(c.hello({has(1)}));
  EXPECT_THAT(c.stopped(), ElementsAre(run_of(1))) << "if its pod is still there";
}

TEST_F(pod_lapse, heartbeats_renew_the_leases) {
  hello(true);
  start(1);
  for (int i = 0; i < 1'000; ++i) {
    ASSERT_TRUE(c.heartbeat());
    ASSERT_THAT(lapsed_in(5s), IsEmpty());
  }
}

TEST_F(pod_lapse, is_for_agents_that_ask_for_it) {
  hello(false);
  EXPECT_FALSE(start(1));
  EXPECT_THAT(lapsed_in(24h), IsEmpty());
}

TEST_F(pod_lapse, keeps_what_was_leased_before_it_was_asked_for) {
  hello(false);
  EXPECT_FALSE(start(1, 90)) << "its pod does not know of a lapse";
  hello(true, {has(1)});
  EXPECT_TRUE(start(2, 100));
  EXPECT_THAT(lapsed_in(1h), ElementsAre(run_of(2)));
  c.over(2);
  // An order that was lost is said again as it was.
  hello(true);
  ASSERT_THAT(c.started(), ElementsAre(run_of(1)));
  EXPECT_FALSE(c.effects<send_orders>().at(0).orders.start.at(0).lapses);
}

TEST_F(pod_lapse, keeps_what_was_leased_before_it_was_asked_for_and_ordered_after_it) {
  hello(true);
  EXPECT_FALSE(start(1, before));
  EXPECT_THAT(lapsed_in(1h), IsEmpty());
}

TEST_F(pod_lapse, ends_with_the_first_hello_that_does_not_ask_for_it) {
  hello(true);
  start(1);
  hello(false, {has(1)});
  EXPECT_THAT(lapsed_in(1h), IsEmpty()) << "an older agent would end no pod";
  hello(true, {has(1)});
  EXPECT_THAT(lapsed_in(1h), IsEmpty()) << "it may have been ordered again in between";
  hello(true, {has(1)});
  EXPECT_TRUE(start(2, 100));
}

TEST_F(pod_lapse, is_known_to_the_next_leader) {
  hello(true);
  start(1);
  c.next_leader({known(1, after), known(2, before)});
  EXPECT_THAT(lapsed_in(c.core.lease_horizon() - c.now - 1ms), IsEmpty());
  EXPECT_THAT(lapsed_in(1ms), ElementsAre(run_of(1)));
}

TEST_F(pod_lapse, of_an_older_incarnation_waits_for_the_word_that_all_runs_are_known) {
  hello(true);
  start(1);
  start(2);
  c.hello_message.cluster.incarnation = {};
  c.hello_message.take_over = true;
  hello(true, {has(1)});
  EXPECT_THAT(lapsed_in(1h), ElementsAre(run_of(1)))
      << "the older agent leaves its pods to this one, which may not know the other";
  c.hello_message.all_runs = true;
  hello(true, {has(1)});
  EXPECT_THAT(lapsed_in(1s), ElementsAre(run_of(2)));
}

TEST_F(pod_lapse, is_forgotten_with_the_cluster) {
  hello(true);
  start(1);
  c.now += 1h;
  c.tick(1s);
  ASSERT_TRUE(c.take(c.core.forget("gone", 5, c.now)));
  EXPECT_EQ(c.core.info().lapse_since_ns, 0);
}

TEST_F(pod_lapse, is_not_for_an_agent_to_date) {
  c.hello_message.cluster.lapse_since_ns = 1;
  hello(false);
  EXPECT_EQ(c.core.info().lapse_since_ns, 0);
}

/// One order of events: the link is (c)ut or (m)ended, (t)ime passes, the pod (e)nds by itself, the
/// (n)ext control plane leads, an agent with the (o)ther setting comes.
struct played_lapse {
  static cluster_config config() {
    cluster_config out;
    out.lease = 60s;
    out.kill_grace = 10s;
    return out;
  }
  explicit played_lapse(bool lapse) : lapses(lapse) {
    c.hello_message.cluster.backend = model::kubernetes_backend;
    say_hello();
    c.start({leased_at(1, after)});
    const auto sent = c.effects<send_orders>();
    marked = sent.at(0).orders.start.at(0).lapses;
    alive = true;
  }

  void say_hello() {
    c.hello_message.lapse = lapses;
    const auto said_at = c.now;
    std::vector<model::known_run> runs;
    if (alive || (told && !acknowledged))
      runs.push_back({run_of(1), "q", told.value_or(run_phase::running), "n1"});
    const auto ack = c.hello(std::move(runs));
    ASSERT_TRUE(ack);
    until = std::max(until, said_at + boot_time{ack->lease_ns});
    for (const auto& run : c.stopped())
      if (run == run_of(1) && alive) end(run_phase::stopped);
    send_report();
  }
  void end(run_phase how) {
    alive = false;
    told = how;
    if (linked) send_report();
  }
  void send_report() {
    if (!told || acknowledged) return;
    ASSERT_TRUE(c.report(++sequence, {{1, *told}}));
    acknowledged = true;
    if (c.forwarded().empty()) return;
    ++reported;
    c.over(1);
  }
  void beat() {
    if (!linked) return;
    const auto said_at = c.now;
    const auto ack = c.heartbeat();
    ASSERT_TRUE(ack);
    if (ack->hello_wanted) return say_hello();
    until = std::max(until, said_at + boot_time{ack->lease_ns});
  }
  void second() {
    c.now += 1s;
    // The agent has the pod deleted in time, and it takes the time that it may.
    if (marked && alive && !dead_at && c.now >= until) dead_at = until + config().kill_grace;
    if (dead_at && alive && c.now >= *dead_at) end(run_phase::stopped);
    c.tick();
    if (!c.effects<expire_leases>().empty()) {
      ++given_up;
      EXPECT_FALSE(alive) << "its job would run twice";
      c.over(1);
      c.core.expired({run_of(1)});
    }
    beat();
  }
  void happen(char what) {
    if (what == 'c') linked = false;
    if (what == 'm' && !std::exchange(linked, true)) say_hello();
    if (what == 't')
      for (int i = 0; i < 45; ++i) second();
    if (what == 'e' && alive && !dead_at) end(run_phase::succeeded);
    if (what == 'n') {
      std::vector<desired_run> runs;
      if (c.core.run_count() > 0) runs.push_back(known(1, after));
      c.next_leader(std::move(runs));
      beat();
    }
    if (what == 'o') {
      lapses = !lapses;
      if (linked) say_hello();
    }
  }

  cluster_driver c{config()};
  bool lapses;
  bool marked = false;
  bool linked = true;
  bool alive = false;
  std::optional<boot_time> dead_at;
  bool acknowledged = false;
  std::optional<run_phase> told;
  boot_time until{};
  std::uint64_t sequence = 0;
  int reported = 0;
  int given_up = 0;
};

TEST(pod_lapse_orders, give_the_run_up_once_and_report_it_once) {
  const std::string events = "cmteno";
  constexpr std::size_t length = 5;
  std::size_t all = 1;
  for (std::size_t i = 0; i < length; ++i) all *= events.size();
  int given_up = 0;
  for (const bool lapse : {false, true})
    for (std::size_t number = 0; number < all; ++number) {
      std::string order;
      for (auto rest = number; order.size() < length; rest /= events.size())
        order += events[rest % events.size()];
      SCOPED_TRACE(order + (lapse ? " lapse" : " keep"));
      played_lapse one{lapse};
      EXPECT_EQ(one.marked, lapse);
      for (const auto each : order) one.happen(each);
      if (!lapse) EXPECT_EQ(one.given_up, 0);
      one.happen('m');
      one.happen('t');
      const int ends = one.reported + one.given_up;
      EXPECT_LE(ends, 1);
      EXPECT_EQ(ends, one.alive ? 0 : 1);
      if (!lapse) EXPECT_FALSE(one.dead_at);
      given_up += one.given_up;
      if (::testing::Test::HasFailure()) return;
    }
  EXPECT_GT(given_up, 100);
}

}  // namespace
}  // namespace argosy::ledger
