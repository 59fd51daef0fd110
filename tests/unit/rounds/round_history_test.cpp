// SPDX-License-Identifier: Apache-2.0
// Goal: from what the last round of each pool said, people get a sentence, programs a code, and
// queues their shares by pool. Method: entities as values folded into a snapshot, rounds decided on
// it, and questions asked; the rounds of pools are played by hand.
#include "messages/rounds/round_history.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "runtime/scheduling/round.hpp"

namespace argosy::rounds {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::StartsWith;

ulid id_of(std::uint8_t number) {
  ulid id;
  id.bytes[15] = number;
  return id;
}

class round_histories : public ::testing::Test {
 protected:
  static model::node_info node(const std::string& name, int cores) {
    model::node_info info;
    info.name = model::node_name{name};
    info.allocatable = {{"cpu", 1000 * cores}, {"memory", std::int64_t{8} << 30}};
    return info;
  }

  void add_node(const model::pool_name& pool, const std::string& name, int cores,
                bool present = true, bool open = true) {
    native::node_delta delta;
    delta.cluster = model::cluster_name{"of-" + pool};
    delta.pool = pool;
    delta.present = present;
    delta.info = node(name, cores);
    delta.info.unschedulable = !open;
    EXPECT_TRUE(fold.fold(delta).empty());
  }

  void add_job(std::uint8_t number, int cores, std::uint32_t gang_size = 1) {
    auto shape = std::make_shared<model::job_shape>();
    shape->requests = {{"cpu", 1000 * cores}};
    shape->priority_class = "armada-preemptible";
    auto header = std::make_shared<model::job_header>();
    header->id = id_of(number);
    header->queue = "q";
    header->shape = std::move(shape);
    ledger::job_upsert item;
    item.header = std::move(header);
    if (gang_size > 1) {
      model::gang_info gang;
      gang.id = "g";
      gang.cardinality = gang.minimum_cardinality = gang_size;
      item.gang = std::make_shared<const model::gang_info>(gang);
    }
    native::queue_delta delta;
    delta.queue = "q";
    delta.exists = true;
    delta.settings.name = "q";
    delta.jobs = std::make_shared<const ledger::job_changes>(ledger::job_changes{{item}, {}});
    EXPECT_TRUE(fold.fold(delta).empty());
  }

  /// Decides a round of the pool, whose leases nobody carries out.
  void run_round(const model::pool_name& pool) {
    fold.settle();
    scheduling::round_params params;
    params.pool = pool;
    const auto plan = scheduling::schedule(fold.snapshot(), *config, params);
    EXPECT_EQ(plan.error, "");
    ++rounds_run;
    history.decided(pool, plan, fold.snapshot(), rounds_run, 1000);
  }

  native::placement_report explain(std::uint8_t number) {
    return history.explain(fold, id_of(number));
  }
  std::vector<std::string> pool_texts(std::uint8_t number) {
    std::vector<std::string> out;
    for (const auto& each : explain(number).pools) out.push_back(each.text);
    return out;
  }

  std::shared_ptr<const scheduling::config> config =
      std::make_shared<const scheduling::config>(scheduling::default_config());
  delta_fold fold{config};
  round_history history{config, {}};
  std::uint64_t rounds_run = 0;
};

TEST_F(round_histories, say_that_there_are_no_nodes) {
  add_job(1, 1);
  fold.settle();
  EXPECT_EQ(explain(1).reason, "no cluster has joined: there are no nodes");
  EXPECT_THAT(explain(1).pools, IsEmpty());
  EXPECT_EQ(history.reasons(fold, {id_of(1)}).at(0).reason, explain(1).reason);
}

TEST_F(round_histories, know_nothing_of_jobs_that_may_not_be_scheduled) {
  EXPECT_FALSE(explain(1).known);
  EXPECT_EQ(history.reasons(fold, {id_of(1)}).at(0).reason, "");
}

TEST_F(round_histories, say_that_a_queue_is_silent_until_it_answers) {
  add_node("default", "n", 4);
  add_job(1, 1);
  fold.settle();
  const auto before = explain(1).reason;
  history.set_silent("q", "it does not answer");
  EXPECT_EQ(explain(1).reason, "it does not answer");
  EXPECT_EQ(explain(1).code, "QUEUE_SILENT");
  EXPECT_EQ(history.reasons(fold, {id_of(1)}).at(0).reason, "it does not answer");
  history.set_silent("q", {});
  EXPECT_EQ(explain(1).reason, before);
}

TEST_F(round_histories, say_that_no_round_has_looked) {
  add_node("default", "n", 2);
  add_job(1, 1);
  fold.settle();
  const auto told = explain(1);
  EXPECT_TRUE(told.known);
  EXPECT_EQ(told.reason, "no round has looked at it yet");
  EXPECT_EQ(told.round, 0U);
  EXPECT_EQ(told.code, "");
  EXPECT_THAT(pool_texts(1), ElementsAre("pool default: no round has looked at it yet"));
}

TEST_F(round_histories, cover_all_pools_with_the_most_promising_first) {
  add_node("large", "n", 8);
  add_node("small", "m", 2);
  add_job(1, 9);
  add_job(2, 4);
  run_round("small");
  run_round("large");
  EXPECT_EQ(explain(1).code, "JOB_DOES_NOT_FIT");
  EXPECT_TRUE(explain(1).pools.at(0).never);
  EXPECT_EQ(
      explain(1).reason,
      "it can never run as it is: it needs 9 cores, and no node that it may use has more than "
      "8 cores; ask for less, or have a larger node added");
  EXPECT_THAT(pool_texts(1),
              ElementsAre("pool large: it can never run here; 1 node has too little cpu: 8 cores "
                          "at most, and it needs 9 cores",
                          "pool small: it can never run here; 1 node has too little cpu: 2 cores "
                          "at most, and it needs 9 cores"));
  // Nobody carried out the lease, so that this job waits for its turn in pool large.
  const auto other = explain(2);
  ASSERT_EQ(other.pools.size(), 2U);
  EXPECT_EQ(other.pools[0].pool, "large");
  EXPECT_FALSE(other.pools[0].never);
  EXPECT_TRUE(other.pools[1].never);
  EXPECT_EQ(other.pools[1].round, 1U);
}

TEST_F(round_histories, say_the_same_in_lists_without_a_look_at_every_node) {
  add_node("default", "n", 2);
  add_job(1, 4);
  add_job(2, 4);
  run_round("default");
  const auto told = history.reasons(fold, {id_of(1), id_of(2), id_of(3)});
  EXPECT_EQ(told.at(0).code, "JOB_DOES_NOT_FIT");
  EXPECT_EQ(told.at(1).code, "JOB_DOES_NOT_FIT") << "rounds do not look at either";
  for (std::size_t i = 0; i < 2; ++i)
    EXPECT_EQ(told.at(i).reason,
              "it can never run as it is: it needs 4 cores, and no node that it may use has more "
              "than 2 cores; ask for less, or have a larger node added");
  EXPECT_EQ(told.at(2).reason, "");
}

TEST_F(round_histories, look_at_so_many_nodes_for_a_list) {
  add_node("default", "n", 2);
  for (std::uint8_t number = 1; number <= 3; ++number) add_job(number, 3 + number);
  history = round_history{config, {}, 2};
  run_round("default");
  const auto told = history.reasons(fold, {id_of(1), id_of(2), id_of(3)});
  EXPECT_THAT(told.at(0).reason, HasSubstr("can never run"));
  EXPECT_THAT(told.at(1).reason, HasSubstr("can never run"));
  EXPECT_THAT(told.at(2).reason, HasSubstr("can never run as it is: no node could take it"))
      << "which needs no look";
}

TEST_F(round_histories, say_how_many_members_of_a_gang_fit) {
  add_node("default", "n", 2);
  for (std::uint8_t number = 1; number <= 3; ++number) add_job(number, 1, 3);
  run_round("default");
  EXPECT_EQ(explain(1).code, "GANG_DOES_NOT_FIT");
  EXPECT_EQ(
      explain(1).reason,
      "it can never run as it is: at most 2 of the 3 members of its gang fit at once, even if "
      "every node were empty; ask for less, or have nodes added");
  EXPECT_EQ(history.reasons(fold, {id_of(1)}).at(0).reason, explain(1).reason);
}

TEST_F(round_histories, say_that_a_gang_above_the_burst_never_starts) {
  auto changed = *config;
  changed.rate = changed.burst = 2;
  config = std::make_shared<const scheduling::config>(changed);
  history = round_history{config, {}};
  add_node("default", "n", 8);
  for (std::uint8_t number = 1; number <= 3; ++number) add_job(number, 1, 3);
  fold.settle();
  // No round has looked at it, and none has to.
  EXPECT_EQ(explain(1).code, "GANG_EXCEEDS_BURST");
  EXPECT_TRUE(explain(1).pools.at(0).never);
  EXPECT_EQ(explain(1).reason, scheduling::sentence(scheduling::reason::gang_exceeds_burst));
  EXPECT_EQ(history.reasons(fold, {id_of(1)}).at(0).reason, explain(1).reason);
}

TEST_F(round_histories, forget_pools_that_get_no_rounds) {
  add_node("aaa", "n", 2);
  add_node("default", "m", 4);
  add_job(1, 8);
  run_round("aaa");
  run_round("default");
  add_node("aaa", "n", 2, false);
  fold.settle();
  history.keep_only(history.pools(fold));
  EXPECT_THAT(pool_texts(1), ElementsAre(StartsWith("pool default")));
  EXPECT_EQ(explain(1).round, 2U);
  history.keep_only({});
  EXPECT_THAT(history.shares(), IsEmpty());
}

TEST_F(round_histories, keep_the_shares_of_every_pool_apart) {
  add_node("large", "n", 64);
  add_node("small", "m", 2);
  add_job(1, 2);
  run_round("small");
  run_round("large");
  const auto shares = history.shares().at("q");
  EXPECT_DOUBLE_EQ(shares.at("small").actual, 1);
  EXPECT_DOUBLE_EQ(shares.at("large").actual, 2.0 / 64);
}

TEST_F(round_histories, tell_of_a_discarded_plan_until_the_next_one) {
  add_node("default", "n", 2);
  add_job(1, 8);
  run_round("default");
  add_job(2, 1);
  fold.settle();
  history.discarded("default", "the plan failed its self-check: node 'n' has too little cpu");
  EXPECT_THAT(explain(2).reason, HasSubstr("has too little cpu"));
  // A job that can never run is told no other reason.
  EXPECT_THAT(explain(1).reason, StartsWith("it can never run"));
  run_round("default");
  EXPECT_THAT(explain(2).reason, Not(HasSubstr("too little")));
}

TEST_F(round_histories, need_no_settled_snapshot_to_say_never) {
  add_node("default", "n", 2);
  add_job(1, 8);
  run_round("default");
  add_job(2, 1);
  EXPECT_THAT(explain(1).reason, StartsWith("it can never run"));
  EXPECT_THAT(pool_texts(1),
              ElementsAre(StartsWith("pool default: it can never run here; 1 node")));
}

TEST_F(round_histories, tell_jobs_of_one_kind_apart_where_their_reasons_differ) {
  add_node("default", "n", 2);
  add_job(1, 2);
  add_job(2, 2);
  run_round("default");  // One job is placed, so that nothing is said of it; the other one is not.
  const auto told = history.reasons(fold, {id_of(1), id_of(2)});
  EXPECT_EQ(told.at(0).reason, "no round has looked at it yet");
  EXPECT_EQ(told.at(1).reason, "no node has room for it now; it starts when other jobs end");
}

TEST_F(round_histories, tell_jobs_that_come_later_what_was_said_of_others_like_them) {
  add_node("default", "n", 2);
  add_job(1, 2);
  add_job(2, 2);
  run_round("default");
  add_job(3, 2);
  add_job(4, 1);
  EXPECT_EQ(explain(3).code, "JOB_DOES_NOT_FIT");
  EXPECT_EQ(explain(3).round, 1U);
  EXPECT_EQ(explain(4).reason, "no round has looked at it yet") << "it asks for less";
}

TEST_F(round_histories, say_the_same_in_lists_of_jobs_whose_nodes_take_no_new_ones) {
  add_node("default", "n", 2, true, false);
  add_node("default", "small", 1);
  add_job(1, 2);
  run_round("default");
  const auto* closed = "the nodes that could take it take no new jobs now; it starts when they do";
  EXPECT_EQ(explain(1).reason, closed);
  EXPECT_EQ(history.reasons(fold, {id_of(1)}).at(0).reason, closed);
  add_node("default", "other", 2);
  EXPECT_NE(history.reasons(fold, {id_of(1)}).at(0).reason, closed);
}

TEST_F(round_histories, say_that_a_pool_which_borrows_has_nothing_to_borrow) {
  auto borrowing = *config;
  borrowing.away_pools = {"default"};
  const round_history mixed{config,
                            {{"poor", std::make_shared<const scheduling::config>(borrowing)}}};
  add_job(1, 1);
  fold.settle();
  EXPECT_EQ(mixed.explain(fold, id_of(1)).pools.at(0).text,
            "pool poor: it can never run here, since the pool has no nodes");
}

TEST_F(round_histories, use_the_configuration_of_each_pool) {
  auto borrowing = *config;
  borrowing.away_pools = {"default"};
  const round_history mixed{config,
                            {{"poor", std::make_shared<const scheduling::config>(borrowing)}}};
  add_node("default", "n", 2);
  EXPECT_THAT(mixed.pools(fold), ElementsAre("default", "poor"));
  EXPECT_EQ(mixed.config_of("default"), config);
  EXPECT_THAT(mixed.config_of("poor")->away_pools, ElementsAre("default"));
}

TEST(round_memories, give_no_queue_the_share_of_guests_with_its_name) {
  const scheduling::snapshot nothing{scheduling::default_config()};
  scheduling::plan made;
  made.queues.resize(2);
  made.queues[0].name = "a-away";
  made.queues[0].cost_after = 0.25;
  made.queues[1].name = "a-away";
  made.queues[1].cost_after = 0.5;
  made.queues[1].guests = true;
  round_memory memory;
  memory.remember(made, nothing, 1, 0);
  ASSERT_EQ(memory.shares().size(), 1u);
  EXPECT_EQ(memory.shares().at("a-away").actual, 0.25);
}

}  // namespace
}  // namespace argosy::rounds
