// SPDX-License-Identifier: Apache-2.0
// Goal: of several replicas at most one acts at any moment, whatever their clocks say, requests
// come to and however long a process is paused; and when one is gone another one acts.
// Method: the pure core against a Lease object in memory, in virtual time.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/unit/kube/lease_fixture.hpp"

namespace argosy::kube {
namespace {

using namespace std::chrono_literals;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using namespace testing;

struct election_core_test : ::testing::Test {
  /// Passes time in small steps; requests are answered at once.
  void pass(boot_time span, std::vector<candidate*> awake) {
    for (const auto end = now + span; now < end; now += 100ms) {
      for (auto* each : awake) turn(*each);
      EXPECT_LE(int{a.acts(now)} + int{b.acts(now)}, 1);
    }
  }
  void turn(candidate& one) {
    for (int i = 0; i < 10; ++i) {
      const auto what = one.core.tick(one.boot(now), one.wall(now));
      if (!what) return;
      one.core.answered(server.serve(*what), one.boot(now));
    }
    ADD_FAILURE() << "it asks without a pause";
  }

  boot_time now{0};
  lease_server server;
  candidate a{"a", 5h, 0h};
  candidate b{"b", 77h, 1h};
};

TEST_F(election_core_test, the_first_one_makes_the_object_and_acts) {
  EXPECT_EQ(a.core.held_until(), boot_time::min());
  turn(a);
  EXPECT_TRUE(a.acts(now));
  EXPECT_EQ(server.holder(), "a");
  EXPECT_EQ((*server.object)["spec"]["leaseDurationSeconds"], 15);
  EXPECT_EQ((*server.object)["spec"]["leaseTransitions"], 0);
  EXPECT_THAT(server.requests, ElementsAre("GET", "POST"));
  EXPECT_EQ(a.core.term(), "u1/0");
}

TEST_F(election_core_test, the_other_one_waits_as_long_as_it_is_renewed) {
  pass(10min, {&a, &b});
  EXPECT_TRUE(a.acts(now));
  EXPECT_EQ(b.core.now_is(), standing::waiting);
  EXPECT_EQ(b.core.holder(), "a");
}

TEST_F(election_core_test, the_other_one_acts_once_the_holder_is_gone_though_its_clock_is_off) {
  pass(1min, {&a, &b});
  const auto gone_at = now;
  while (!b.acts(now) && now < gone_at + 1min) pass(100ms, {&b});
  EXPECT_GE(now - gone_at, 12s) << "the holder may still act";
  EXPECT_LE(now - gone_at, 18s);
  EXPECT_EQ((*server.object)["spec"]["leaseTransitions"], 1);
  EXPECT_EQ(b.core.term(), "u1/1");
}

TEST_F(election_core_test, one_that_was_paused_longer_than_the_lease_has_lost_it) {
  pass(1min, {&a, &b});
  pass(20s, {&b});
  EXPECT_TRUE(b.acts(now));
  EXPECT_FALSE(a.acts(now)) << "before it looked at the clock";
  EXPECT_FALSE(a.core.tick(a.boot(now), a.wall(now))) << "it asks nothing any more";
  EXPECT_EQ(a.core.now_is(), standing::lost);
  EXPECT_EQ(a.core.next_due(), boot_time::max());
}

TEST_F(election_core_test, an_answer_that_comes_after_a_pause_does_not_prolong_anything) {
  turn(a);
  now += 2s;
  const auto renewal = a.core.tick(a.boot(now), a.wall(now));
  ASSERT_TRUE(renewal);
  const auto got = server.serve(*renewal);
  now += 11s;
  a.core.answered(got, a.boot(now));
  EXPECT_EQ(a.core.now_is(), standing::lost);
}

TEST_F(election_core_test, a_holder_that_cannot_renew_stops_before_the_other_one_may_act) {
  pass(1min, {&a, &b});
  server.fails_with = 500;
  pass(10s, {&a, &b});
  EXPECT_EQ(a.core.now_is(), standing::lost);
  EXPECT_EQ(a.core.trouble()->detail, "etcd is away");
  EXPECT_FALSE(b.acts(now));
  server.fails_with = 0;
  pass(10s, {&a, &b});
  EXPECT_TRUE(b.acts(now));
}

TEST_F(election_core_test, short_trouble_of_the_server_costs_nothing) {
  pass(1min, {&a, &b});
  server.fails_with = 503;
  pass(5s, {&a, &b});
  server.fails_with = 0;
  pass(1min, {&a, &b});
  EXPECT_TRUE(a.acts(now));
}

TEST_F(election_core_test, of_two_that_write_at_once_one_meets_a_conflict) {
  const auto looks_a = a.core.tick(a.boot(now), a.wall(now));
  const auto looks_b = b.core.tick(b.boot(now), b.wall(now));
  a.core.answered(server.serve(*looks_a), a.boot(now));
  b.core.answered(server.serve(*looks_b), b.boot(now));
  const auto makes_a = a.core.tick(a.boot(now), a.wall(now));
  const auto makes_b = b.core.tick(b.boot(now), b.wall(now));
  EXPECT_EQ(makes_b->verb, "POST");
  b.core.answered(server.serve(*makes_b), b.boot(now));
  a.core.answered(server.serve(*makes_a), a.boot(now));
  EXPECT_TRUE(b.acts(now));
  EXPECT_EQ(a.core.now_is(), standing::waiting);
  pass(1min, {&a, &b});
  EXPECT_TRUE(b.acts(now));
}

TEST_F(election_core_test, a_holder_that_somebody_else_has_overwritten_stops_at_once) {
  pass(10s, {&a});
  (*server.object)["spec"]["holderIdentity"] = "somebody";
  (*server.object)["metadata"]["resourceVersion"] = "999";
  pass(2s, {&a});
  EXPECT_EQ(a.core.now_is(), standing::lost);
}

TEST_F(election_core_test, an_object_that_was_deleted_is_made_again) {
  pass(10s, {&a, &b});
  server.object.reset();
  pass(5s, {&a, &b});
  EXPECT_EQ(int{a.acts(now)} + int{b.acts(now)}, 1);
  EXPECT_TRUE(server.object);
}

TEST_F(election_core_test, what_is_given_up_is_taken_at_the_next_look) {
  pass(10s, {&a, &b});
  const auto last = a.core.release(a.boot(now), a.wall(now));
  ASSERT_TRUE(last);
  EXPECT_FALSE(a.acts(now));
  EXPECT_EQ(server.serve(*last).status, 200);
  EXPECT_EQ(server.holder(), "");
  pass(3s, {&b});
  EXPECT_TRUE(b.acts(now));
  EXPECT_EQ(b.core.term(), "u1/1");
  EXPECT_FALSE(candidate("c", 0h, 0h).core.release(0h, wall_time{})) << "it holds nothing";
}

TEST_F(election_core_test, a_restart_of_the_same_replica_goes_on_at_once_in_the_same_term) {
  pass(10s, {&a, &b});
  candidate again{"a", 5h, 0h};
  const auto before = a.core.term();
  for (int i = 0; i < 2; ++i) {
    const auto what = again.core.tick(again.boot(now), again.wall(now));
    ASSERT_TRUE(what);
    again.core.answered(server.serve(*what), again.boot(now));
  }
  EXPECT_TRUE(again.acts(now));
  EXPECT_EQ(again.core.term(), before);
  EXPECT_EQ(server.serve(*again.core.release(again.boot(now), again.wall(now))).status, 200);
  candidate third{"a", 5h, 0h};
  turn(third);
  EXPECT_TRUE(third.acts(now));
  EXPECT_EQ(third.core.term(), before) << "nobody acted since it was given up";
}

TEST_F(election_core_test, a_missing_right_or_namespace_is_told_and_not_asked_for_without_pause) {
  for (const int status : {403, 404}) {
    lease_server none;
    candidate c{"c", 0h, 0h};
    std::size_t asked = 0;
    for (now = 0h; now < 20s; now += 100ms)
      while (const auto what = c.core.tick(c.boot(now), c.wall(now))) {
        ++asked;
        c.core.answered(answer{status, R"({"message":"leases is forbidden"})"}, c.boot(now));
      }
    EXPECT_LE(asked, 24U) << status;
    EXPECT_GE(asked, 8U) << status;
    ASSERT_TRUE(c.core.trouble());
    EXPECT_THAT(c.core.trouble()->detail, HasSubstr("forbidden"));
  }
}

TEST_F(election_core_test, what_others_wrote_into_the_object_stays) {
  turn(a);
  (*server.object)["metadata"]["labels"] = {{"team", "x"}};
  (*server.object)["spec"]["strategy"] = "OldestEmulationVersion";
  (*server.object)["metadata"]["resourceVersion"] = "99";
  pass(4s, {&a});
  EXPECT_EQ((*server.object)["metadata"]["labels"]["team"], "x");
  EXPECT_EQ((*server.object)["spec"]["strategy"], "OldestEmulationVersion");
  EXPECT_THAT((*server.object)["spec"]["renewTime"].get<std::string>(),
              ::testing::MatchesRegex("[0-9-]+T[0-9:]+\\.[0-9]{6}Z"));
}

TEST_F(election_core_test, odd_objects_are_no_lease_that_anybody_holds) {
  EXPECT_FALSE(read_lease("not JSON"));
  EXPECT_FALSE(read_lease("[]"));
  const auto odd = read_lease(R"({"metadata":{"uid":"u"},"spec":{"holderIdentity":7,
      "leaseDurationSeconds":99999999999999,"leaseTransitions":-4}})");
  ASSERT_TRUE(odd);
  EXPECT_EQ(odd->holder, "");
  EXPECT_EQ(odd->duration, 24h);
  EXPECT_EQ(odd->transitions, 0);
}

TEST_F(election_core_test, rules_under_which_two_would_act_are_refused) {
  election_rules good{.name_space = "n", .name = "l", .identity = "i"};
  EXPECT_TRUE(validate(good));
  auto bad = good;
  bad.renew_within = bad.duration;
  EXPECT_THAT(validate(bad).error().detail, HasSubstr("two replicas would act at once"));
  bad = good;
  bad.retry = bad.renew_within;
  EXPECT_FALSE(validate(bad));
  bad = good;
  bad.name_space.clear();
  EXPECT_FALSE(validate(bad));
}

}  // namespace
}  // namespace argosy::kube
