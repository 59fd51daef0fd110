// SPDX-License-Identifier: Apache-2.0
// Goal: of the jobs of a namespace that a cluster has closed, rounds start as many as may try it,
// whole gangs where nothing else fits, and no others. Method: deltas of queues and nodes, folded,
// and the rounds that follow.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/unit/rounds/namespace_trials_fixture.hpp"

namespace argosy::rounds {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;
using ::testing::SizeIs;

TEST_F(closed_namespace, is_tried_by_one_of_a_thousand_jobs) {
  for (std::uint64_t number = 1; number <= 1000; ++number) job(number, 10);
  job(2000, 10, "others");
  EXPECT_THAT(round(), ElementsAre(2000)) << "it is shut to the others";
  may_try();
  EXPECT_THAT(round(), ElementsAre(1));
  EXPECT_THAT(round(), IsEmpty()) << "one tries it";
  job(1001, 10);
  EXPECT_THAT(round(), IsEmpty());
  nodes("c", {{}, {"jobs"}, {}});
  comes_back(1);
  EXPECT_THAT(round(), IsEmpty()) << "it was refused";
  may_try();
  EXPECT_THAT(round(), SizeIs(1));
  nodes("c", {});
  EXPECT_THAT(round(), SizeIs(1000)) << "it was taken";
}

TEST_F(closed_namespace, is_tried_by_the_next_job_when_the_first_is_gone) {
  job(1);
  job(2);
  job(3);
  may_try();
  EXPECT_THAT(round(), ElementsAre(1));
  cancel(1);
  EXPECT_THAT(round(), ElementsAre(2));
  comes_back(2);
  cancel(2);
  EXPECT_THAT(round(), ElementsAre(3));
  comes_back(3);
  EXPECT_THAT(round(), ElementsAre(3)) << "its run was lost with its node, and nobody else waits";
}

TEST_F(closed_namespace, is_tried_by_another_kind_of_job_where_one_finds_no_place) {
  for (std::uint64_t number = 1; number <= 5; ++number) job(number, 500'000);
  for (std::uint64_t number = 6; number <= 9; ++number) job(number, 300'000);
  job(10, 1000);
  may_try();
  auto started = round();
  for (int rounds = 0; started.empty(); ++rounds) {
    ASSERT_TRUE(again);
    ASSERT_LT(rounds, 3);
    started = repeat();
  }
  EXPECT_THAT(started, ElementsAre(10));
}

TEST_F(closed_namespace, asks_for_no_rounds_for_ever) {
  job(1, 500'000);
  job(2, 300'000);
  may_try();
  EXPECT_THAT(round(), IsEmpty());
  EXPECT_TRUE(again);
  EXPECT_THAT(repeat(), IsEmpty());
  EXPECT_FALSE(again) << "both were looked at, and nothing has changed";
  job(3, 400'000);
  EXPECT_THAT(round(), IsEmpty());
  EXPECT_TRUE(again);
}

TEST_F(closed_namespace, is_tried_by_jobs_of_other_kinds_in_turn) {
  job(1, 1000);
  job(2, 2000);
  std::set<std::uint64_t> tried;
  for (int look = 0; look < 2; ++look) {
    may_try();
    const auto started = round();
    ASSERT_THAT(started, SizeIs(1));
    tried.insert(started[0]);
    nodes("c", {{}, {"jobs"}, {}});
    comes_back(started[0]);
    ASSERT_THAT(round(), IsEmpty());
  }
  EXPECT_THAT(tried, ElementsAre(1, 2)) << "a quota may be used up for one of them alone";
}

TEST_F(closed_namespace, is_tried_by_a_whole_gang_if_nobody_else_waits) {
  gang({1, 2, 3});
  gang({4, 5, 6});
  job(7);
  may_try();
  EXPECT_THAT(round(), ElementsAre(7));
  cancel(7);
  EXPECT_THAT(round(), ElementsAre(1, 2, 3));
  EXPECT_THAT(round(), IsEmpty());
  comes_back(1);
  EXPECT_THAT(round(), IsEmpty()) << "the others of it still have runs";
  cancel(1);
  cancel(2);
  cancel(3);
  EXPECT_THAT(round(), ElementsAre(4, 5, 6));
}

TEST_F(closed_namespace, is_not_tried_by_a_part_of_a_gang) {
  gang({1, 2, 3}, 90'000);
  may_try();
  EXPECT_THAT(round(), IsEmpty()) << "two nodes have no room for three of them";
  job(4);
  EXPECT_THAT(round(), ElementsAre(4));
}

TEST_F(closed_namespace, is_tried_by_as_many_as_may) {
  for (std::uint64_t number = 1; number <= 20; ++number) job(number);
  may_try(1);
  EXPECT_THAT(round(), ElementsAre(1));
  may_try(2);
  EXPECT_THAT(round(), ElementsAre(2, 3)) << "the first was taken";
  cancel(3);
  EXPECT_THAT(round(), ElementsAre(4));
  may_try(8);
  EXPECT_THAT(round(), SizeIs(8));
}

TEST_F(closed_namespace, is_tried_in_each_cluster_by_itself) {
  nodes("d", {{}, {"jobs"}, {}});
  for (std::uint64_t number = 1; number <= 9; ++number) job(number);
  may_try(1, "c");
  const auto first = round();
  ASSERT_THAT(first, SizeIs(1));
  EXPECT_EQ(jobs.at(first[0]).run->cluster.str(), "c");
  may_try(1, "d");
  const auto second = round();
  ASSERT_THAT(second, SizeIs(1));
  EXPECT_EQ(jobs.at(second[0]).run->cluster.str(), "d");
  EXPECT_THAT(round(), IsEmpty());
  nodes("d", {});
  EXPECT_THAT(round(), SizeIs(7));
  for (const auto& [number, item] : jobs)
    if (number != first[0]) EXPECT_EQ(item.run->cluster.str(), "d");
}

TEST_F(closed_namespace, may_be_closed_for_jobs_with_services_or_of_one_owner_alone) {
  const auto add = [this](std::uint64_t number, bool by_bob) {
    auto header = *job(number).header;
    const auto shape = std::make_shared<model::job_shape>(*header.shape);
    shape->attached = {by_bob ? "services" : "ingresses"};
    header.shape = shape;
    header.owner = by_bob ? "bob" : "alice";
    jobs.at(number).header = std::make_shared<const model::job_header>(header);
  };
  nodes("c", {{}, {"jobs+services", "jobs+@alice"}, {}});
  for (const auto number : {1U, 2U, 11U, 12U}) add(number, number % 10 == 1);
  EXPECT_THAT(round(), IsEmpty());
  nodes("c", {{}, {}, {{"c", "jobs+services", 1}, {"c", "jobs+@alice", 1}}});
  EXPECT_THAT(round(), ElementsAre(1, 2));
}

TEST_F(closed_namespace, may_be_closed_for_an_owner_whose_jobs_wait_already) {
  const auto add = [this](std::uint64_t number, const char* owner) {
    auto header = *job(number).header;
    header.owner = owner;
    jobs.at(number).header = std::make_shared<const model::job_header>(header);
  };
  for (std::uint64_t number = 1; number <= 300; ++number) add(number, "alice");
  gang({301, 302});
  for (const auto number : {301U, 302U}) {
    auto gang = jobs.at(number).gang;
    add(number, "alice");
    jobs.at(number).gang = gang;
  }
  add(400, "bob");
  EXPECT_THAT(round(), IsEmpty());
  const model::namespace_trial trial{"c", "jobs+@alice", 1};
  nodes("c", {{}, {}, {trial}});
  EXPECT_THAT(round(), ElementsAre(1, 400)) << "as the first thing that a new leader is told";
  nodes("c", {{}, {"jobs+@alice"}, {}});
  comes_back(1);
  EXPECT_THAT(round(), IsEmpty());
  nodes("c", {{}, {}, {trial}});
  EXPECT_THAT(round(), ElementsAre(301, 302)) << "another kind of job";
  nodes("c", {{}, {"jobs+services@alice"}, {}});
  EXPECT_THAT(round(), SizeIs(197)) << "there is room for so many";
}

TEST_F(closed_namespace, is_tried_together_with_its_part_by_one_job) {
  const auto serves = [this](std::uint64_t number) {
    auto header = *job(number).header;
    const auto shape = std::make_shared<model::job_shape>(*header.shape);
    shape->attached = {"services"};
    header.shape = shape;
    jobs.at(number).header = std::make_shared<const model::job_header>(header);
  };
  const model::namespace_trial whole{"c", "jobs", 1};
  const model::namespace_trial part{"c", "jobs+services", 1};
  serves(1);
  nodes("c", {{}, {}, {part, whole}});
  EXPECT_THAT(round(), ElementsAre(1));
  job(2);
  EXPECT_THAT(round(), IsEmpty()) << "the first one tries the namespace as well";
  cancel(1);
  EXPECT_THAT(round(), ElementsAre(2));
  serves(3);
  EXPECT_THAT(round(), IsEmpty()) << "another one tries its namespace";
  EXPECT_FALSE(again);
  nodes("c", {{}, {}, {part}});
  EXPECT_THAT(round(), ElementsAre(3));
  cancel(3);
  serves(4);
  nodes("c", {{}, {"jobs+services"}, {}});
  EXPECT_THAT(round(), IsEmpty());
  nodes("c", {{}, {}, {part}});
  fold.settle();
  EXPECT_TRUE(fold.let_try());
  job(5);
  nodes("c", {{}, {}, {part, whole}});
  EXPECT_THAT(round(), SizeIs(1)) << "who may try the part alone may not try both";
}

TEST_F(closed_namespace, is_left_alone_by_a_queue_that_is_cordoned) {
  job(1);
  native::queue_delta shut;
  shut.queue = "q";
  shut.exists = true;
  shut.settings.name = "q";
  shut.settings.cordoned = true;
  shut.jobs = std::make_shared<const ledger::job_changes>(ledger::job_changes{{jobs.at(1)}, {}});
  EXPECT_THAT(fold.fold(shut), IsEmpty());
  may_try();
  EXPECT_THAT(repeat(), IsEmpty());
  EXPECT_FALSE(again);
  EXPECT_THAT(round(), ElementsAre(1));
}

}  // namespace
}  // namespace argosy::rounds
