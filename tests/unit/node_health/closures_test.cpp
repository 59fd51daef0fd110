// SPDX-License-Identifier: Apache-2.0
// Goal: what a cluster refuses to everybody costs one run for each pause, the pauses grow, and the
// namespace is open again soon after the cluster takes runs. However many namespaces are named, few
// are shut, and those that are real have the right of way.
// Method: a closures by hand, and a random world of runs whose cluster refuses and takes in turns.
#include "runtime/ledger/health/closures.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <random>
#include <set>

namespace argosy::ledger {
namespace {

using namespace std::chrono_literals;
using ::testing::ElementsAre;
using ::testing::IsEmpty;
using ::testing::Pair;

model::run_key closed_run(std::uint64_t number) {
  return {ulid_from_hash(1, 0, number), 1};
}

struct namespace_closures : ::testing::Test {
  bool refuse(std::uint64_t number, const char* kind = "rights") {
    return c.refused("jobs", closed_run(number), kind, "no", 7, now) == closing::shut;
  }
  closing refuse_in(const std::string& name_space) {
    return c.refused(name_space, closed_run(1), "namespace", std::string(9000, 'x'), 7, now);
  }
  void take_in(const std::string& name_space) { c.taken(name_space, closed_run(1), now); }
  entrance at(std::uint64_t number) const { return c.of("jobs", closed_run(number)); }
  bool pass(boot_time span) {
    now += span;
    return c.tick(now);
  }
  /// Sends a run that tries the namespace, which is refused.
  void try_in_vain(std::uint64_t number) {
    ASSERT_EQ(at(number), entrance::open);
    c.sent("jobs", closed_run(number));
    refuse(number);
  }

  closures c;
  boot_time now = 1h;
};

TEST_F(namespace_closures, shut_one_namespace_for_a_pause_that_grows) {
  EXPECT_EQ(at(1), entrance::open);
  EXPECT_TRUE(refuse(1));
  EXPECT_FALSE(refuse(2)) << "it was sent before";
  EXPECT_EQ(at(3), entrance::shut);
  EXPECT_EQ(c.of("others", closed_run(3)), entrance::open);
  EXPECT_THAT(c.shut(), ElementsAre("jobs"));
  ASSERT_EQ(c.all().size(), 1U);
  EXPECT_EQ(c.all()[0].refusals, 2U);
  std::uint64_t number = 10;
  for (const auto pause : {1s, 2s, 4s, 8s, 16s, 32s, 64s, 128s, 256s, 300s, 300s}) {
    EXPECT_FALSE(pass(pause - 1ns)) << pause.count();
    EXPECT_TRUE(pass(1ns)) << pause.count();
    EXPECT_THAT(c.shut(), IsEmpty());
    EXPECT_THAT(c.tried(), ElementsAre(Pair("jobs", 1)));
    try_in_vain(++number);
  }
}

TEST_F(namespace_closures, let_one_run_try_and_open_when_it_is_taken) {
  refuse(1);
  pass(1s);
  EXPECT_TRUE(c.all()[0].tried);
  c.sent("jobs", closed_run(2));
  EXPECT_EQ(at(2), entrance::open) << "it may be sent again";
  EXPECT_EQ(at(3), entrance::waits);
  EXPECT_FALSE(refuse(1)) << "an answer from before says nothing new";
  EXPECT_EQ(at(3), entrance::waits);
  EXPECT_TRUE(c.taken("jobs", closed_run(2), now));
  EXPECT_EQ(at(3), entrance::open);
  EXPECT_THAT(c.tried(), IsEmpty());
  EXPECT_THAT(c.all(), IsEmpty());
}

TEST_F(namespace_closures, let_another_run_try_when_the_first_is_gone) {
  refuse(1);
  pass(1s);
  c.sent("jobs", closed_run(2));
  c.over(closed_run(2));
  EXPECT_EQ(at(3), entrance::open);
}

TEST_F(namespace_closures, open_a_quota_by_steps) {
  refuse(1, "quota");
  pass(1s);
  std::uint64_t number = 10;
  for (const std::uint32_t together : {1U, 2U, 4U, 8U}) {
    EXPECT_THAT(c.tried(), ElementsAre(Pair("jobs", together)));
    const auto first = number;
    for (std::uint32_t i = 0; i < together; ++i) {
      ASSERT_EQ(at(number), entrance::open);
      c.sent("jobs", closed_run(number++));
    }
    EXPECT_EQ(at(number), entrance::waits);
    for (auto each = first; each < number; ++each)
      EXPECT_EQ(c.taken("jobs", closed_run(each), now), each + 1 == number);
  }
  c.sent("jobs", closed_run(90));
  c.sent("jobs", closed_run(91));
  EXPECT_FALSE(c.taken("jobs", closed_run(90), now));
  EXPECT_TRUE(refuse(91, "quota"));
  EXPECT_EQ(c.all().at(0).until - now, 2s);
  EXPECT_TRUE(pass(2s));
  EXPECT_THAT(c.tried(), ElementsAre(Pair("jobs", 1))) << "it begins anew";
}

TEST_F(namespace_closures, open_a_quota_when_nobody_wants_it) {
  refuse(1, "quota");
  pass(1s);
  EXPECT_FALSE(pass(4min)) << "nobody knows";
  c.sent("jobs", closed_run(2));
  EXPECT_FALSE(pass(1h)) << "it is not known yet";
  EXPECT_TRUE(c.taken("jobs", closed_run(2), now));
  EXPECT_FALSE(pass(15s - 1ns));
  EXPECT_TRUE(pass(1ns));
  EXPECT_THAT(c.all(), IsEmpty());
  EXPECT_EQ(at(3), entrance::open);
}

TEST_F(namespace_closures, open_a_quota_when_very_many_were_taken) {
  refuse(1, "quota");
  pass(1s);
  for (std::uint64_t number = 10; number < 10 + 2047; ++number) {
    ASSERT_FALSE(c.tried().empty());
    c.sent("jobs", closed_run(number));
    c.taken("jobs", closed_run(number), now);
  }
  EXPECT_THAT(c.all(), IsEmpty());
}

TEST_F(namespace_closures, go_on_growing_if_a_refusal_follows_soon_after_a_success) {
  refuse(1);
  for (std::uint64_t number = 2; number < 8; ++number) {
    pass(5min);
    try_in_vain(number);
  }
  pass(5min);
  c.sent("jobs", closed_run(9));
  c.taken("jobs", closed_run(9), now);
  EXPECT_TRUE(refuse(10));
  EXPECT_EQ(c.all()[0].until - now, 30s);
  pass(5min);
  c.sent("jobs", closed_run(11));
  c.taken("jobs", closed_run(11), now);
  pass(5min);
  EXPECT_TRUE(refuse(12));
  EXPECT_EQ(c.all()[0].until - now, 1s) << "that was long ago";
}

TEST_F(namespace_closures, let_runs_preempt_when_none_found_free_room_for_long) {
  refuse(1);
  pass(1s);
  EXPECT_FALSE(pass(299s));
  EXPECT_FALSE(c.may_preempt("jobs"));
  EXPECT_TRUE(pass(1s)) << "nodes have to hear of it";
  EXPECT_TRUE(c.may_preempt("jobs"));
  try_in_vain(2);
  EXPECT_FALSE(c.may_preempt("jobs"));
  pass(2s);
  EXPECT_EQ(at(3), entrance::open);
  c.sent("jobs", closed_run(3));
  pass(10min);
  EXPECT_FALSE(c.may_preempt("jobs")) << "one tries";
  c.over(closed_run(3));
  pass(1s);
  pass(300s);
  EXPECT_TRUE(c.may_preempt("jobs"));
  c.sent("jobs", closed_run(4));
  c.taken("jobs", closed_run(4), now);
  EXPECT_FALSE(c.may_preempt("jobs"));
  EXPECT_THAT(c.tried(), IsEmpty());
}

TEST_F(namespace_closures, are_forgotten_when_no_run_tries_any_more) {
  refuse(1);
  pass(1s);
  pass(599s);
  EXPECT_FALSE(c.all().empty());
  EXPECT_TRUE(pass(1s));
  EXPECT_TRUE(c.empty());
  EXPECT_FALSE(c.may_preempt("jobs"));
  EXPECT_EQ(at(2), entrance::open);
}

TEST_F(namespace_closures, keep_kinds_apart) {
  refuse(1, "namespace");
  EXPECT_FALSE(refuse(1, "rights")) << "it is shut already";
  EXPECT_EQ(c.all().size(), 2U);
  pass(1s);
  c.sent("jobs", closed_run(2));
  EXPECT_TRUE(refuse(2, "rights"));
  EXPECT_EQ(c.all()[1].until - now, 2s);
  EXPECT_TRUE(pass(2s));
}

TEST_F(namespace_closures, are_few_however_many_are_named) {
  for (int i = 0; i < 64; ++i) ASSERT_EQ(refuse_in("made-up-" + std::to_string(i)), closing::shut);
  for (int i = 64; i < 1000; ++i)
    ASSERT_EQ(refuse_in("made-up-" + std::to_string(i)), closing::no_room);
  EXPECT_EQ(c.shut().size(), 64U);
  EXPECT_EQ(c.of("made-up-64", closed_run(2)), entrance::open) << "it counts against its job";
  EXPECT_EQ(refuse_in("made-up-0"), closing::known);
  pass(1s);
  EXPECT_EQ(refuse_in("made-up-64"), closing::no_room) << "the others are tried";
  for (const auto& each : c.all()) EXPECT_LE(each.why.size(), 500U);
  EXPECT_EQ(closures{}.refused(std::string(64, 'n'), closed_run(1), "rights", "no", 1, now),
            closing::no_room)
      << "no namespace has such a name";
}

TEST_F(namespace_closures, of_real_namespaces_displace_those_that_may_be_made_up) {
  for (int i = 0; i < 64; ++i) refuse_in("made-up-" + std::to_string(i));
  for (int i = 0; i < 65; ++i) take_in("real-" + std::to_string(i));
  for (int i = 0; i < 64; ++i) EXPECT_EQ(refuse_in("real-" + std::to_string(i)), closing::shut);
  EXPECT_EQ(c.shut().size(), 64U);
  EXPECT_EQ(c.of("made-up-0", closed_run(2)), entrance::open);
  EXPECT_EQ(refuse_in("made-up-0"), closing::no_room);
  EXPECT_EQ(refuse_in("real-64"), closing::no_room);
  pass(1s);
  c.sent("real-7", closed_run(9));
  c.taken("real-7", closed_run(9), now);
  EXPECT_EQ(refuse_in("made-up-0"), closing::shut) << "one of them is open again";
  EXPECT_EQ(c.all().size(), 64U);
}

/// A small world: runs are sent where that is allowed, their answers come later and in any order,
/// and the cluster changes its mind.
TEST(closed_namespaces, let_few_runs_try_in_every_order_of_events) {
  for (std::uint32_t seed = 0; seed < 300; ++seed) {
    std::mt19937 random{seed};
    closures c;
    boot_time now = 1h;
    std::set<std::uint64_t> under_way;
    std::set<std::uint64_t> trying;
    std::uint64_t last = 0;
    bool refuses = false;
    for (int step = 0; step < 400; ++step) {
      const auto tried = c.tried();
      if (tried.empty()) trying.clear();
      switch (random() % 6) {
        case 0:
          refuses = !refuses;
          break;
        case 1:
          now += std::chrono::seconds{random() % 40};
          c.tick(now);
          break;
        case 2:
        case 3: {
          const auto number = ++last;
          const auto may = c.of("jobs", closed_run(number));
          ASSERT_EQ(may == entrance::shut, !c.shut().empty());
          if (may != entrance::open) break;
          c.sent("jobs", closed_run(number));
          under_way.insert(number);
          if (!tried.empty()) trying.insert(number);
          if (!tried.empty()) {
            ASSERT_LE(trying.size(), tried.at("jobs")) << seed;
          }
          break;
        }
        default: {
          if (under_way.empty()) break;
          const auto which = std::next(under_way.begin(),
                                       static_cast<std::ptrdiff_t>(random() % under_way.size()));
          const auto run = closed_run(*which);
          trying.erase(*which);
          under_way.erase(which);
          const auto kind = random() % 4;
          if (kind == 0)
            c.over(run);
          else if (refuses)
            c.refused("jobs", run, kind == 1 ? "rights" : "quota", "no", 1, now);
          else
            c.taken("jobs", run, now);
          break;
        }
      }
      for (const auto& each : c.all()) ASSERT_LE(each.until, now + 5min);
      ASSERT_TRUE(c.shut().empty() || c.tried().empty());
    }
    // In the end the cluster takes everything.
    for (const auto number : under_way) c.over(closed_run(number));
    now += 5min;
    c.tick(now);
    const auto run = closed_run(++last);
    ASSERT_EQ(c.of("jobs", run), entrance::open) << seed;
    c.sent("jobs", run);
    c.taken("jobs", run, now);
    now += 15s;
    c.tick(now);
    EXPECT_TRUE(c.all().empty()) << seed;
  }
}

}  // namespace
}  // namespace argosy::ledger
