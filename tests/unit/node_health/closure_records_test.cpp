// SPDX-License-Identifier: Apache-2.0
// Goal: what the log says of closed namespaces changes only when one is closed or opened, and the
// next leader has one run try each. Method: two closures, one with the record of the other, and a
// cluster_core with another one after it.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "runtime/ledger/health/closures.hpp"
#include "tests/unit/node_health/closed_cluster.hpp"

namespace argosy::ledger {
namespace {

using namespace std::chrono_literals;
using model::run_phase;
using ::testing::ElementsAre;
using ::testing::IsEmpty;
using ::testing::Pair;

TEST(closure_records, let_the_next_leader_begin_with_them) {
  boot_time now = 1h;
  closures c;
  const auto run = [](std::uint64_t number) {
    return model::run_key{ulid_from_hash(1, 0, number), 1};
  };
  EXPECT_THAT(c.record({}), IsEmpty());
  c.refused("jobs", run(1), "quota", "no", 7, now);
  const auto record = c.record({});
  ASSERT_EQ(record.size(), 1U);
  auto known = record;
  known[0].why = "as it was then";
  EXPECT_EQ(c.record(known), known) << "the log is not written again for other words";
  now += 1s;
  c.tick(now);
  EXPECT_EQ(c.record(record), record) << "a closure that is tried is one";
  closures next;
  next.restore(record);
  EXPECT_THAT(next.tried(), ElementsAre(Pair("jobs", 1)));
  EXPECT_TRUE(next.all().at(0).tried);
  EXPECT_EQ(next.all()[0].why, "no");
  EXPECT_EQ(next.all()[0].since_ns, 7);
  next.sent("jobs", run(2));
  next.refused("jobs", run(2), "quota", "no", 9, now);
  EXPECT_THAT(next.shut(), ElementsAre("jobs"));
  EXPECT_EQ(next.all().at(0).since_ns, 7);
  next.restore({});
  EXPECT_THAT(next.all(), IsEmpty());
}

TEST_F(closed_cluster, is_tried_by_one_run_under_the_next_leader_too) {
  start(1);
  refuse(1, "namespace");
  q.over(1);
  q.tick(1s);
  ASSERT_TRUE(q.knows("cluster_joined")) << "the log says so";
  ASSERT_EQ(q.core.info().closed.size(), 1U);
  q.tick(1s);
  EXPECT_TRUE(q.last_events.empty()) << "it says so once";
  q.next_leader({});
  EXPECT_EQ(told(), "?c/jobs/1") << "rounds know it from the beginning";
  EXPECT_EQ(q.core.all_closures().all().at(0).why, "exceeded quota: q");
  ASSERT_TRUE(q.hello());
  EXPECT_EQ(q.core.info().closed.size(), 1U) << "an agent that comes anew does not open it";
  sequence = 0;
  for (std::uint64_t number = 2; number < 9; ++number) start(number);
  EXPECT_EQ(q.started().size(), 0U);
  report(2, run_phase::pending);
  EXPECT_EQ(told(), "");
  q.tick(1s);
  EXPECT_TRUE(q.core.info().closed.empty());
  q.next_leader({});
  EXPECT_EQ(told(), "");
}

TEST_F(closed_cluster, is_open_when_it_was_forgotten) {
  start(1);
  refuse(1, "namespace");
  q.over(1);
  q.tick(1s);
  q.tick(1h);
  ASSERT_TRUE(q.take(q.core.forget("gone", 5, q.now)));
  EXPECT_TRUE(q.core.info().closed.empty());
}

TEST_F(closed_cluster, is_not_said_to_be_closed_by_its_agent) {
  q.hello_message.cluster.closed = {{"jobs", "quota", "no", 1}};
  ASSERT_TRUE(q.hello());
  EXPECT_TRUE(q.core.info().closed.empty());
}

}  // namespace
}  // namespace argosy::ledger
