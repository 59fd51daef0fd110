// SPDX-License-Identifier: Apache-2.0
// Goal: each part of a round keeps what its header promises. Method: the parts of a small world are
// put together as in a round, and one of them is asked.
#include <map>
#include <tuple>

#include "runtime/scheduling/engine/steps/plan_writer.hpp"
#include "runtime/scheduling/engine/steps/second_chance.hpp"
#include "runtime/scheduling/engine/steps/starter.hpp"
#include "tests/unit/scheduling/parts_fixture.hpp"

namespace argosy::scheduling::engine::parts_test {
namespace {

TEST(parts, row_set_counts_the_priorities_from_below) {
  begun round(two_nodes());
  const auto& rows = round.parts.nodes.nodes.rows;
  EXPECT_EQ(rows.count(), 5U);
  EXPECT_EQ(rows.lowest(), evicted_priority);
  EXPECT_EQ(rows.highest(), 2000);
  EXPECT_EQ(rows.upto(999), 3U);
  EXPECT_EQ(rows.upto(1000), 4U);
  EXPECT_EQ(rows.of(1000), 3U);
  EXPECT_EQ(rows.of(999), none);
}

TEST(parts, decisions_keep_the_last_cause) {
  begun round(two_nodes());
  auto& made = round.parts.made;
  EXPECT_EQ(made.cause_of(1), nullptr);
  made.note_cause(1, preemption_cause::urgency, 2);
  made.note_cause(1, preemption_cause::not_returned, none);
  ASSERT_NE(made.cause_of(1), nullptr);
  EXPECT_EQ(made.cause_of(1)->cause, preemption_cause::not_returned);
  EXPECT_EQ(made.cause_of(1)->preemptor, none);
  EXPECT_EQ(made.cause_of(2), nullptr);
}

TEST(parts, refusals_are_told_once_for_each_kind_however_many_there_are) {
  std::string text = worlds::node({}) + worlds::queue("q") + worlds::queue("r");
  for (int i = 0; i < 120; ++i)
    text += worlds::job({.id = "j" + std::to_string(100 + i),
                         .queue = i % 3 == 0 ? "r" : "q",
                         .cpu = 1000 + i % 30});
  const auto world = read_snap1(text, bench_config(preset::argosy)).value();
  const auto& t = world.jobs_and_nodes.data();
  refusal_tally tally(t);
  std::map<std::tuple<std::uint32_t, std::uint32_t, reason>, std::uint64_t> expected;
  for (int turn = 0; turn < 3; ++turn)
    for (std::uint32_t job = 0; job < t.jobs.size(); ++job) {
      const auto why = job % 2 == 0 ? reason::queue_limit : reason::job_does_not_fit;
      const auto count = job % 5 + 1U;
      tally.add({job, why, count});
      expected[{t.jobs[job].queue, t.jobs[job].shape, why}] += count;
    }
  std::map<std::tuple<std::uint32_t, std::uint32_t, reason>, std::uint64_t> told;
  for (const auto& each : tally.all()) {
    const auto& job = t.jobs[each.job_index];
    EXPECT_TRUE(told.emplace(std::tuple(job.queue, job.shape, each.code), each.jobs).second);
  }
  EXPECT_EQ(told, expected);
  EXPECT_GT(told.size(), 16U) << "more than are looked at one after the other";
}

TEST(parts, world_is_made_anew_when_too_many_matchers_were_met) {
  begun round(two_nodes());
  added_terms added;
  const auto meet = [&](std::uint32_t upto) {
    while (added.executor != upto) {
      ++added.executor;  // It begins at `none`.
      (void)round.on.terms.find(0, added);
    }
  };
  meet(19'000);
  EXPECT_TRUE(round.on.begin_round());
  meet(20'000);
  EXPECT_FALSE(round.on.begin_round());
}

TEST(parts, trial_holds_as_a_whole_or_leaves_nothing) {
  begun round(two_nodes());
  auto& trial = round.parts.under_way;
  const auto& bound = round.parts.nodes.bound;
  const auto try_it = [&] {
    trial.begin();
    trial.push_out(1, 3, preemption_cause::urgency);
    trial.bind(round.gang_of({3}).offers[0], 0);
  };
  ids queues{7};
  try_it();
  EXPECT_TRUE(bound.is_bound(3));
  trial.undo();
  EXPECT_TRUE(bound.is_bound(1));
  EXPECT_FALSE(bound.is_bound(3));
  EXPECT_EQ(round.free_cpu(0), 1000);
  trial.take_lightened(queues);
  EXPECT_TRUE(queues.empty());

  try_it();
  trial.settle(round.parts.made, round.parts.budget);
  EXPECT_FALSE(bound.is_bound(1));
  EXPECT_EQ(round.parts.made.evicted().size(), 1U);
  EXPECT_EQ(round.parts.made.cause_of(1)->preemptor, 3U);
  EXPECT_EQ(round.parts.budget.used(), 0U) << "urgency costs no budget";
  trial.take_lightened(queues);
  EXPECT_EQ(queues, (ids{round.parts.queues.of(1)}));
  trial.take_lightened(queues);
  EXPECT_TRUE(queues.empty()) << "it was told";
}

TEST(parts, preemption_budget_counts_gangs_as_a_whole) {
  asked how;
  how.params.preemption_tokens = 2;
  begun round(gangs(), how);
  for (const auto job : {0U, 1U, 2U}) round.evict(job);
  auto& budget = round.parts.budget;
  EXPECT_TRUE(budget.covers({0}, 0));
  EXPECT_FALSE(budget.covers({0}, 1));
  EXPECT_FALSE(budget.covers({0, 2}, 0));
  budget.spend(2);
  EXPECT_TRUE(budget.is_spent());
  budget.take_back();
  EXPECT_EQ(budget.used(), 1U);
  EXPECT_TRUE(budget.is_spent()) << "what it cost is not spent again";
}

TEST(parts, evictor_marks_jobs_that_keep_their_room) {
  begun round(gangs());
  evictor leaves(round.parts.nodes, round.parts.queues, round.params, round.parts.made);
  const auto evicted = leaves.for_balance();
  EXPECT_EQ(evicted.returning[round.parts.queues.of(0)].size(), 3U);
  EXPECT_TRUE(round.parts.nodes.bound.holds_room(0));
  EXPECT_EQ(round.free_cpu(0), 2000);
  EXPECT_EQ(round.free_cpu(0, 1), 4000) << "above the lowest row";
}

/// One node of 15 cores, all of them in use. Queue a runs ten jobs of 1 core, one after the other;
/// b runs five, and waits with one.
std::string nearly_even() {
  auto text = worlds::node({.number = 0, .cpu = 15000}) +
              worlds::key("eviction.protectedFractionOfFairShare", "1") + worlds::queue("a") +
              worlds::queue("b");
  for (int i = 0; i < 10; ++i)
    text += runs({.id = "j1" + std::to_string(i), .queue = "a", .submitted = 1 + i}, 0, 1000);
  for (int i = 0; i < 5; ++i) text += runs({.id = "j2" + std::to_string(i), .queue = "b"}, 0, 1000);
  return text + worlds::job({.id = "j3", .queue = "b"});
}

TEST(parts, evictor_takes_only_who_comes_back_after_the_first_turn_of_a_new_job) {
  begun round(nearly_even());
  evictor leaves(round.parts.nodes, round.parts.queues, round.params, round.parts.made);
  const auto evicted = leaves.for_balance();
  const auto a = round.parts.queues.of(0);
  // With its job b will use 6 cores, so that the jobs of a from the sixth on come back after it.
  ASSERT_EQ(evicted.returning[a].size(), 5U);
  EXPECT_EQ(evicted.returning[a].front().job, 5U);
  ASSERT_EQ(evicted.untouched.size(), 1U);
  EXPECT_EQ(evicted.untouched[0].entries, 5U);
  EXPECT_EQ(evicted.untouched[0].used[0], 5000);
  EXPECT_TRUE(round.parts.nodes.bound.is_bound(4));
}

TEST(parts, evictor_takes_nobody_if_nobody_waits) {
  auto text = nearly_even();
  text.erase(text.rfind("J "));
  begun round(text);
  evictor leaves(round.parts.nodes, round.parts.queues, round.params, round.parts.made);
  EXPECT_TRUE(leaves.for_balance().returning[round.parts.queues.of(0)].empty());
}

TEST(parts, evictor_keeps_the_gang_of_a_protected_member) {
  begun round(gangs("std-np"));
  protect_gangs(round.parts.nodes);
  evictor leaves(round.parts.nodes, round.parts.queues, round.params, round.parts.made);
  (void)leaves.for_balance();
  ASSERT_EQ(round.parts.made.evicted().size(), 1U);
  EXPECT_EQ(round.parts.made.evicted()[0].job, 2U);
}

TEST(parts, returning_order_has_the_highest_priority_first) {
  begun round(two_nodes());
  evictor leaves(round.parts.nodes, round.parts.queues, round.params, round.parts.made);
  round.line_up_evicted(leaves.for_balance());
  ASSERT_EQ(round.line.size(), 3U);
  EXPECT_EQ(round.line[2].job, 0U) << "the only one of class low";
  ASSERT_EQ(round.order.levels(), 2U);
  EXPECT_EQ(round.order.priority_of(0), 500);
  EXPECT_EQ(round.order.level_of_place(0), 1U);
  EXPECT_EQ(round.order.level_of_place(1), 1U);
  EXPECT_EQ(round.order.level_of_place(2), 0U);
}

TEST(parts, gatekeeper_names_the_first_limit) {
  asked how;
  how.params.tokens = 1;
  begun round(two_nodes(), how);
  auto& queues = round.parts.queues;
  gatekeeper gate(round.parts.nodes, queues, round.parts.under_way, round.parts.budget);
  const auto g = round.gang_of({4});
  const auto b = queues.of(4);
  EXPECT_EQ(gate.barred(g, b), reason::placed);
  gate.start(g, b);
  EXPECT_EQ(gate.tokens_used(), 1U);
  EXPECT_EQ(gate.barred(g, b), reason::global_rate_limit);
  queues.tokens = 9;
  queues.queues[b].tokens = 0;
  EXPECT_EQ(gate.barred(g, b), reason::queue_rate_limit);
  queues.queues[b].cordoned = true;
  EXPECT_EQ(gate.barred(g, b), reason::queue_cordoned);
}

TEST(parts, placer_places_a_gang_as_a_whole_or_not_at_all) {
  begun round(gangs());
  round.evict_none();
  auto both = round.gang_of({3, 4});
  EXPECT_EQ(round.parts.places.place(both), reason::gang_does_not_fit) << "n0 has 2 cores left";
  EXPECT_EQ(round.free_cpu(0), 2000);
  EXPECT_EQ(round.free_cpu(1), 3000);
  EXPECT_EQ(round.parts.places.count_places(both).count, 1U);
  EXPECT_EQ(round.free_cpu(1), 3000) << "counting binds nobody";
}

TEST(parts, armada_traces_know_nodes_that_were_reshuffled) {
  begun round(two_nodes(), {.name = preset::current});
  auto& traces = round.parts.traces;
  const auto returns = [&](std::int32_t priority) {
    offer o;
    o.home = 0;
    o.priority = priority;
    traces.note_return(o);
  };
  returns(500);
  returns(1000);
  EXPECT_FALSE(traces.may_overcommit(0, round.parts.queues)) << "that was the first pass";
  traces.begin_second_pass();
  returns(1000);
  returns(500);
  EXPECT_FALSE(traces.may_overcommit(0, round.parts.queues));
  returns(1000);
  EXPECT_TRUE(traces.may_overcommit(0, round.parts.queues));
  EXPECT_FALSE(traces.may_overcommit(1, round.parts.queues));
}

TEST(parts, starter_notes_one_outcome_for_each_job) {
  begun round(gangs());
  round.evict_none();
  auto& parts = round.parts;
  starter turns(parts.nodes, parts.queues, parts.under_way, parts.places, parts.made, parts.budget,
                parts.traces, round.admission->known_misfits());
  turns.open(round.order);
  auto both = round.gang_of({3, 4});
  EXPECT_EQ(turns.give_turn(both, parts.queues.of(3)), reason::gang_does_not_fit);
  ASSERT_EQ(parts.made.refusals().size(), 1U) << "both ask for the same";
  EXPECT_EQ(parts.made.refusals()[0].jobs, 2U);
  EXPECT_EQ(parts.queues.queues[parts.queues.of(3)].used[0], 0) << "it does not count any more";
  auto one = round.gang_of({4});
  one.offers[0].gang = none;
  EXPECT_EQ(turns.give_turn(one, parts.queues.of(4)), reason::placed);
  ASSERT_EQ(parts.made.placed().size(), 1U);
  EXPECT_EQ(parts.made.placed()[0].job, 4U);
  EXPECT_EQ(turns.tokens_used(), 1U);
}

TEST(parts, second_chance_is_for_whole_gangs) {
  begun round(gangs());
  round.evict_none();
  auto& parts = round.parts;
  for (const auto job : {0U, 1U, 2U}) {
    round.evict(job);
    parts.queues.charge(parts.queues.of(job), round.shape_of(job), -1, false);
    parts.under_way.give_up(job, round.shape_of(job));
    parts.made.note_cause(job, preemption_cause::not_returned, none);
  }
  parts.budget.spend(3);
  parts.nodes.bound.bind(3, round.shape_of(3), 1, 1000);
  parts.nodes.bound.bind(4, round.shape_of(4), 1, 1000);
  bring_back(parts.nodes, parts.queues, parts.under_way, parts.made, parts.budget, {});
  EXPECT_TRUE(parts.nodes.bound.is_bound(2));
  EXPECT_FALSE(parts.nodes.bound.is_bound(0)) << "its mate has no room on n1";
  EXPECT_EQ(parts.made.returned(), 1U);
  EXPECT_EQ(parts.budget.used(), 2U);
}

TEST(parts, plan_writer_tells_each_loss_once_and_refuses_whom_others_pushed_out) {
  begun round(two_nodes());
  auto& parts = round.parts;
  round.evict(1);
  parts.made.evict({1, round.shape_of(1), 0});
  parts.made.place({3, round.shape_of(3), false});
  parts.made.place({4, round.shape_of(4), false});
  parts.nodes.bound.bind(4, round.shape_of(4), 1, 1000);
  const auto made = plan_writer(parts.nodes, parts.queues).write(parts.made);
  ASSERT_EQ(made.preemptions.size(), 1U);
  EXPECT_EQ(made.preemptions[0].job_index, 1U);
  ASSERT_EQ(made.leases.size(), 1U);
  EXPECT_EQ(made.leases[0].job_index, 4U);
  ASSERT_EQ(made.refusals.size(), 1U);
  EXPECT_EQ(made.refusals[0].job_index, 3U);
  EXPECT_EQ(made.refusals[0].code, reason::job_does_not_fit);
}

}  // namespace
}  // namespace argosy::scheduling::engine::parts_test
