// SPDX-License-Identifier: Apache-2.0
// Goal: whatever lease an agent was granted by whichever leader, the control plane does not give
// its runs up before the shim has killed them. Method: leaders with different settings follow each
// other over what the log says of the cluster; an agent reckons as agents and shims do; properties
// over random settings and random losses of messages.
#include <gmock/gmock.h>

#include <algorithm>
#include <random>

#include "runtime/model/lease.hpp"
#include "tests/unit/cluster_ledger/cluster_fixture.hpp"

namespace argosy::ledger {
namespace {

using namespace std::chrono_literals;
using ::testing::IsEmpty;

cluster_config with_lease(boot_time lease, boot_time grace = 30s) {
  cluster_config out;
  out.lease = lease;
  out.kill_grace = grace;
  return out;
}

/// A leader that takes over from the one before, with what the log says.
cluster_driver next_leader(const cluster_driver& before, const cluster_config& config) {
  cluster_driver out{config};
  out.core = cluster_core{"c", config};
  out.now = before.now;
  out.core.restore(before.core.info(), before.core.present());
  for (const auto& [name, node] : before.core.node_infos()) out.core.restore(node);
  out.core.restore(desired_run{start_of(1), model::stop_cause::none, "", true});
  out.take(out.core.lead({{4}}, out.now));
  out.hello_message = before.hello_message;
  return out;
}

model::known_run holds_one() {
  return {run_of(1), "q", model::run_phase::running, "n1"};
}

/// How an agent and its shims hold a lease: the latest one that they were granted.
struct agent_side {
  double speed = 1;  ///< How fast the agent's clock is; a slow one lets runs live longer.
  boot_time dead_by{};

  void granted(boot_time sent_at, std::int64_t lease_ns, std::int64_t kill_grace_ns) {
    const auto span = static_cast<double>(lease_ns + kill_grace_ns) / speed;
    dead_by = std::max(dead_by, sent_at + boot_time{static_cast<std::int64_t>(span)});
  }
};

TEST(lease_length, that_was_granted_is_in_the_log) {
  cluster_driver c{with_lease(600s, 40s)};
  ASSERT_TRUE(c.hello());
  EXPECT_TRUE(c.knows("cluster_joined"));
  EXPECT_EQ(c.core.info().lease_ns, boot_time{600s}.count());
  EXPECT_EQ(c.core.info().kill_grace_ns, boot_time{40s}.count());
  ASSERT_TRUE(c.hello());
  EXPECT_THAT(c.last_events, IsEmpty()) << "once";
}

TEST(lease_length, an_agent_cannot_say_what_it_was_granted) {
  cluster_driver c{with_lease(600s)};
  c.hello_message.cluster.lease_ns = 1;
  c.hello_message.cluster.kill_grace_ns = 1;
  ASSERT_TRUE(c.hello());
  EXPECT_EQ(c.core.info().lease_ns, boot_time{600s}.count());
  EXPECT_EQ(c.core.info().kill_grace_ns, boot_time{30s}.count());
}

TEST(lease_length, of_the_leader_before_holds_when_the_next_has_a_shorter_one) {
  cluster_driver old{with_lease(600s)};
  ASSERT_TRUE(old.hello());
  auto next = next_leader(old, with_lease(60s));
  const auto dead_by = next.now + 600s + 30s;
  EXPECT_GE(next.core.lease_horizon(), dead_by);
  next.tick(dead_by - next.now);
  EXPECT_THAT(next.effects<expire_leases>(), IsEmpty());
  next.tick(1min);
  EXPECT_EQ(next.effects<expire_leases>().size(), 1U);
}

TEST(lease_length, of_the_leader_before_holds_until_it_has_passed_though_the_agent_is_back) {
  cluster_driver old{with_lease(600s)};
  ASSERT_TRUE(old.hello());
  auto next = next_leader(old, with_lease(60s));
  const auto horizon = next.core.lease_horizon();
  // Its answer may be lost.
  ASSERT_TRUE(next.hello({holds_one()}));
  EXPECT_EQ(next.core.lease_horizon(), horizon);
  EXPECT_EQ(next.core.info().lease_ns, boot_time{600s}.count());
  const auto third = next_leader(next, with_lease(60s));
  EXPECT_GE(third.core.lease_horizon(), horizon);
  while (next.now < horizon) {
    next.tick(10s);
    ASSERT_TRUE(next.heartbeat());
  }
  EXPECT_EQ(next.core.info().lease_ns, boot_time{60s}.count()) << "the next leader need not wait";
  next.tick();
  EXPECT_THAT(next.last_events, IsEmpty());
  EXPECT_LT(next.core.lease_horizon(), next.now + 120s);
}

TEST(lease_length, of_the_next_leader_holds_when_it_is_longer) {
  cluster_driver old{with_lease(60s)};
  ASSERT_TRUE(old.hello());
  auto next = next_leader(old, with_lease(600s));
  EXPECT_GE(next.core.lease_horizon(), next.now + 600s);
  ASSERT_TRUE(next.hello({holds_one()}));
  EXPECT_EQ(next.core.info().lease_ns, boot_time{600s}.count());
}

TEST(lease_length, lets_no_run_live_beyond_the_horizon) {
  for (std::uint32_t seed = 0; seed < 2'000; ++seed) {
    std::mt19937_64 random{seed};
    const auto up_to = [&](std::uint64_t most) { return random() % (most + 1); };
    const auto chosen = [&] {
      auto out = with_lease(std::chrono::seconds{2 + up_to(900)}, std::chrono::seconds{up_to(90)});
      out.clock_drift = 0.05;
      return out;
    };
    agent_side agent;
    agent.speed = 1.0 / (1.0 + 0.05 * static_cast<double>(up_to(1'000)) / 1'000.0);
    cluster_driver c{chosen()};
    bool in_session = false;
    for (int step = 0; step < 40; ++step) {
      const auto sent_at = c.now;
      c.tick(std::chrono::milliseconds{up_to(30'000)});
      if (up_to(5) == 0) {
        auto next = next_leader(c, chosen());
        c = std::move(next);
        in_session = false;
      } else if (in_session) {
        const auto ack = c.heartbeat();
        // An answer that asks for a hello grants no lease.
        if (ack && ack->hello_wanted)
          in_session = false;
        else if (ack && up_to(1) == 0)
          agent.granted(sent_at, ack->lease_ns, ack->kill_grace_ns);
      } else if (up_to(1) == 0) {
        const auto ack = c.hello({holds_one()});
        in_session = ack && up_to(1) == 0;
        if (in_session) agent.granted(sent_at, ack->lease_ns, ack->kill_grace_ns);
      }
      ASSERT_LE(agent.dead_by, c.core.lease_horizon()) << "seed " << seed << ", step " << step;
    }
  }
}

/// A pod goes on though its agent is dead, so that no time says that it has ended.
TEST(lease_length, of_pods_has_no_end_before_somebody_says_that_they_have_ended) {
  for (const auto* const backend : {"process", "kubernetes", "other"}) {
    cluster_driver c;
    c.hello_message.cluster.backend = backend;
    c.hello_message.cluster.said.outlives_agent = std::string{backend} == "other";
    ASSERT_TRUE(c.hello());
    c.start({start_of(1)});
    c.tick(1h);
    const auto lapsed = c.effects<expire_leases>();
    EXPECT_EQ(lapsed.empty(), std::string{backend} != "process") << backend;
  }
  cluster_driver c;
  c.hello_message.cluster.backend = "kubernetes";
  ASSERT_TRUE(c.hello());
  c.start({start_of(1)});
  desired_run run;
  run.start = start_of(1);
  c.next_leader({run});
  c.tick(1h);
  EXPECT_TRUE(c.effects<expire_leases>().empty()) << "the next leader knows it too";
}

}  // namespace
}  // namespace argosy::ledger
