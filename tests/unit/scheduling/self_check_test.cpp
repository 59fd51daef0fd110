// SPDX-License-Identifier: Apache-2.0
// Goal: the check at the end of every round finds each thing that no plan may do, and excuses under
// preset current only what Armada is known to do. Method: a world is decided, the plan is doctored
// in one place, and checked again.
#include "runtime/scheduling/engine/self_check.hpp"

#include "tests/support/world_fixture.hpp"

namespace argosy::scheduling {

namespace {

using cause = preemption_cause;

/// n0 of 4 cpus runs r (std, 2 cpus) and the gang g (std and low, 1 each); n1 of 4 cpus runs p
/// (std-np, 2) and s (low, 1). Queue b runs nothing; its jobs w (std, 3), the gang h (std, 1 each)
/// and u (urgent, 1) wait.
constexpr std::string_view world_text =
    "N 0 n0 e 4000 8589934592 0 - -\n"
    "N 1 n1 e 4000 8589934592 0 - -\n"
    "Q a 1\nQ b 1\n"
    "J r a std 0 1 2000 1024 0 - - - - 0 -\nR r 0 1 1000\n"
    "J g1 a std 0 1 1000 1024 0 - - - g 2 -\nR g1 0 1 1000\n"
    "J g2 a low 0 1 1000 1024 0 - - - g 2 -\nR g2 0 1 500\n"
    "J p a std-np 0 1 2000 1024 0 - - - - 0 -\nR p 1 1 1000\n"
    "J s a low 0 1 1000 1024 0 - - - - 0 -\nR s 1 1 500\n"
    "J w b std 0 1 3000 1024 0 - - - - 0 -\n"
    "J h1 b std 0 1 1000 1024 0 - - - h 2 -\n"
    "J h2 b std 0 1 1000 1024 0 - - - h 2 -\n"
    "J u b urgent 0 1 1000 1024 0 - - - - 0 -\n";

class doctored : public ::testing::Test {
 protected:
  doctored()
      : world_(read_snap1(world_text, bench_config(preset::argosy)).value()),
        made_(schedule(world_.jobs_and_nodes, world_.conf, world_.params)) {}

  /// Takes another world, of which nothing is decided yet.
  void use(const std::string& text, const config& conf = bench_config(preset::argosy)) {
    world_ = read_snap1(text, conf).value();
    made_ = schedule(world_.jobs_and_nodes, world_.conf, world_.params);
    clear();
  }

  std::uint32_t number(const std::string& job) {
    const auto& t = world_.jobs_and_nodes.data();
    for (std::uint32_t i = 0; i < t.jobs.size(); ++i)
      if (t.jobs[i].live() && world_.job_name(t.jobs[i].id) == job) return i;
    ADD_FAILURE() << "no job " << job;
    return 0;
  }

  void lease_on(const std::string& job, std::uint32_t node, std::int32_t priority = 1000) {
    const auto at = number(job);
    made_.leases.push_back(
        {world_.jobs_and_nodes.data().jobs[at].id, at, node, priority, /*away=*/false});
  }

  void preempt(const std::string& job, cause why = cause::fair_share,
               const std::string& preemptor = "") {
    const auto at = number(job);
    const auto& jobs = world_.jobs_and_nodes.data().jobs;
    made_.preemptions.push_back({jobs[at].id, at, jobs[at].node, why, {}, none});
    if (preemptor.empty()) return;
    made_.preemptions.back().preemptor = jobs[number(preemptor)].id;
    made_.preemptions.back().preemptor_index = number(preemptor);
  }

  void clear() {
    made_.leases.clear();
    made_.preemptions.clear();
  }

  /// What the check says, with the names of jobs instead of their ids.
  std::string check(bool may_overcommit = false) {
    const auto& from = world_.jobs_and_nodes;
    const auto pool = from.data().pools.find(world_.params.pool);
    const engine::node_columns nodes(from.data(), world_.conf, world_.params, pool);
    auto what = engine::find_violation(made_, nodes, [=](std::uint32_t) { return may_overcommit; });
    for (const auto& record : from.data().jobs)
      if (const auto at = what.find(to_string(record.id)); at != std::string::npos)
        what.replace(at, to_string(record.id).size(), world_.job_name(record.id));
    return what;
  }

  snap1_world world_;
  plan made_;
};

TEST_F(doctored, an_honest_plan_passes) {
  EXPECT_EQ(made_.error + made_.violation, "");
  EXPECT_FALSE(made_.leases.empty());
  EXPECT_FALSE(made_.preemptions.empty());
  EXPECT_EQ(check(), "");
}

TEST_F(doctored, a_node_is_not_given_more_than_it_has) {
  clear();
  lease_on("w", 1);
  EXPECT_EQ(check(), "node 'n1' was given more cpu than it has");
  EXPECT_EQ(check(/*may_overcommit=*/true), "");
  preempt("s");
  EXPECT_EQ(check(), "node 'n1' was given more cpu than it has");
  clear();
  lease_on("w", 0);
  preempt("r");
  EXPECT_EQ(check(), "node 'n0' was given more cpu than it has");
  preempt("g1");
  preempt("g2");
  EXPECT_EQ(check(), "");
}

TEST_F(doctored, a_gang_starts_as_a_whole) {
  clear();
  lease_on("h1", 1);
  EXPECT_EQ(check(), "gang 'h' was placed in part");
  preempt("r");
  lease_on("h2", 0);
  EXPECT_EQ(check(), "");
}

TEST_F(doctored, a_gang_leaves_as_a_whole) {
  clear();
  preempt("g1");
  EXPECT_EQ(check(), "gang 'g' was preempted in part");
  preempt("g2", cause::gang_mate);
  EXPECT_EQ(check(), "");
}

/// Whether a job of a class with these flags may be preempted for each cause, under a preset.
struct class_case {
  preset name;
  bool fair;
  bool urgent;
  bool for_balance;  ///< The causes FAIR_SHARE and NOT_RETURNED.
  bool for_urgency;
};

TEST_F(doctored, a_class_protects_its_jobs_from_what_it_says) {
  const class_case cases[] = {
      {preset::argosy, false, false, false, false},  {preset::argosy, true, false, true, true},
      {preset::argosy, false, true, false, true},    {preset::argosy, true, true, true, true},
      {preset::unified, false, true, false, true},   {preset::unified, true, true, true, true},
      {preset::current, false, false, false, false}, {preset::current, true, true, true, true}};
  for (const auto& each : cases) {
    auto conf = default_config(each.name);
    world_.conf.base = each.name;
    world_.conf.urgency = conf.urgency;
    world_.conf.protect_whole_gang = conf.protect_whole_gang;
    world_.conf.classes[2].fair_share_preemptible = each.fair;
    world_.conf.classes[2].urgency_preemptible = each.urgent;
    ASSERT_EQ(world_.conf.classes[2].name, "std-np");
    for (const auto why : {cause::fair_share, cause::not_returned, cause::urgency}) {
      clear();
      preempt("p", why, "u");
      lease_on("u", 1, 2000);
      const auto allowed = why == cause::urgency ? each.for_urgency : each.for_balance;
      EXPECT_EQ(check(), allowed ? "" : "job p was preempted although its class protects it")
          << to_string(each.name) << each.fair << each.urgent << static_cast<int>(why);
    }
  }
}

TEST_F(doctored, a_gang_mate_leaves_for_what_the_first_left_for) {
  world_.conf.classes[0].fair_share_preemptible = false;
  ASSERT_EQ(world_.conf.classes[0].name, "low");
  clear();
  preempt("g1", cause::urgency, "u");
  preempt("g2", cause::gang_mate);
  lease_on("u", 0, 2000);
  EXPECT_EQ(check(), "");
  clear();
  preempt("g1", cause::fair_share);
  preempt("g2", cause::gang_mate);
  EXPECT_EQ(check(), "job g2 was preempted although its class protects it");
}

TEST_F(doctored, under_current_a_class_protects_nothing_inside_a_gang) {
  world_.conf.classes[0].fair_share_preemptible = false;
  world_.conf.classes[0].urgency_preemptible = false;
  clear();
  preempt("g1");
  preempt("g2", cause::gang_mate);
  EXPECT_EQ(check(), "job g2 was preempted although its class protects it");
  world_.conf.protect_whole_gang = false;
  EXPECT_EQ(check(), "");
  made_.preemptions.pop_back();
  EXPECT_EQ(check(), "gang 'g' was preempted in part");
}

TEST_F(doctored, what_runs_is_neither_leased_nor_moved) {
  clear();
  lease_on("s", 1);
  EXPECT_EQ(check(), "job s runs and was leased again");
  clear();
  // An evicted job that returns elsewhere would have to be reported like this.
  preempt("g1");
  preempt("g2");
  lease_on("s", 0);
  EXPECT_EQ(check(), "job s runs and was leased again");
}

TEST_F(doctored, a_job_is_preempted_where_it_runs) {
  clear();
  preempt("r");
  made_.preemptions.front().node = 1;
  EXPECT_EQ(check(), "job r was preempted where it does not run");
  clear();
  preempt("w");
  EXPECT_EQ(check(), "job w was preempted where it does not run");
}

TEST_F(doctored, urgency_takes_what_balance_alone_may_take_only_where_a_queue_gives_it_up) {
  auto& of_p = world_.conf.classes[2];
  of_p.fair_share_preemptible = true;
  of_p.urgency_preemptible = false;
  clear();
  preempt("p", cause::urgency, "u");
  lease_on("u", 1, 2000);
  EXPECT_EQ(check(), "");
  world_.conf.protected_fraction = 9;
  EXPECT_EQ(check(), "job p was preempted although its class protects it");
  world_.conf.protected_fraction = 0;
  world_.conf.evict_for_balance = false;
  EXPECT_EQ(check(), "job p was preempted although its class protects it");
}

TEST_F(doctored, urgency_is_that_of_a_more_urgent_job) {
  const std::string refused = "job r was preempted for one that is not more urgent";
  clear();
  preempt("r", cause::urgency);
  lease_on("u", 0, 2000);
  EXPECT_EQ(check(), refused);  // It leaves for nobody.
  made_.preemptions.clear();
  preempt("r", cause::urgency, "u");
  EXPECT_EQ(check(), "");
  made_.preemptions.clear();
  preempt("r", cause::urgency, "s");
  EXPECT_EQ(check(), refused);  // It leaves for a job that runs already.
  // Its own place may have gone to a job that is more urgent still.
  made_.preemptions.clear();
  preempt("r", cause::urgency, "w");
  EXPECT_EQ(check(), "");
  made_.leases.front().priority = 1000;
  EXPECT_EQ(check(), refused);
  made_.preemptions.clear();
  preempt("r", cause::urgency, "u");
  EXPECT_EQ(check(), "");  // An evicted job leaves for a job of its own class, too.
  world_.conf.protected_fraction = 9;
  EXPECT_EQ(check(), refused);
  // Under current the rows that are overdrawn name victims, but nobody for whom they leave.
  world_.conf.urgency = urgency_rule::preemptible_strictly_below;
  EXPECT_EQ(check(), "");
}

TEST(self_check, lets_a_mate_leave_that_an_evicted_gang_takes_along) {
  // The class of a1 is protected from balance, but that of its mate is not; b1 wants the room of
  // both.
  constexpr std::string_view text =
      "C protectWholeGang false\n"
      "C priorityClass kept=1000:u:-:-\nC priorityClass least=500:u:-:-\n"
      "N 0 n0 e 8000 100000 0 - -\nN 1 n1 e 5000 100000 0 - -\nQ a 8\nQ b 1\n"
      "J a1 a kept 0 5 3000 1000 0 - - - g 2 -\nR a1 0 4 1000\n"
      "J a2 a std 0 3 5000 1000 0 - - - g 2 -\nR a2 1 1 1000\n"
      "J l1 b least 0 1 3000 1000 0 - - - - 1 -\nR l1 0 1 500\n"
      "J b1 b std 1 8 7000 1000 0 - - - - 1 -\n";
  for (const auto name : {preset::argosy, preset::unified, preset::classic}) {
    auto world = read_snap1(text, bench_config(name)).value();
    const auto made = schedule(world.jobs_and_nodes, world.conf, world.params);
    EXPECT_EQ(made.violation, "") << to_string(name);
    EXPECT_TRUE(name == preset::classic || made.preemptions.size() == 3) << to_string(name);
  }
}

TEST_F(doctored, a_job_of_another_pool_is_left_alone) {
  const std::string world =
      "C pool home\nN 0 h e 2000 1000 0 - - - - home\nN 1 l e 4000 1000 0 - - - - lender\nQ a 1\n"
      "J g1 a std 0 1 1000 0 0 - - - g 2 - - home\nR g1 0 1 1000 home\n"
      "J g2 a std 0 1 1000 0 0 - - - g 2 - - home\nR g2 1 1 1000 home\n"
      "J x a std 0 1 1000 0 0 - - - - 1 - - lender\nR x 1 1 1000 lender\n";
  auto conf = bench_config(preset::argosy);
  conf.away_pools = {"lender"};
  use(world, conf);
  preempt("x");
  EXPECT_EQ(check(), "job x was preempted by a round that it is not part of");
  conf.away_pools.clear();
  conf.guest_pools = {"home"};
  auto lenders = world;
  lenders.replace(lenders.find("home"), 4, "lender");
  use(lenders, conf);
  preempt("g1", cause::gang_mate);
  EXPECT_EQ(check(), "job g1 was preempted by a round that it is not part of");
  clear();
  preempt("x");
  EXPECT_EQ(check(), "");
  // The gang of a guest ends wherever it runs.
  preempt("g2");
  preempt("g1", cause::gang_mate);
  EXPECT_EQ(check(), "");
}

TEST_F(doctored, a_floating_amount_is_not_given_twice) {
  const auto world = [](int total) {
    return "C floatingResources lic=" + std::to_string(total) +
           "\nN 0 n0 e 9000 9000 0 - -\nQ a 1\n"
           "J r a std 0 1 1000 0 0 - - - - 1 - lic=3\nR r 0 1 1000\n"
           "J s z std 0 1 1000 0 0 - - - - 1 - lic=1\nR s 0 1 1000\n"
           "J x a std 0 1 1000 0 0 - - - - 1 - lic=2\n";
  };
  const std::string refused = "more lic was given than the pool has";
  use(world(5));
  lease_on("x", 0);
  EXPECT_EQ(check(), refused);
  // Under current what jobs of unknown queues hold does not count; nothing else is passed over.
  world_.conf.return_room_only = false;
  EXPECT_EQ(check(), "");
  world_.conf.return_room_only = true;
  preempt("r");
  EXPECT_EQ(check(), "");
  use(world(4));
  world_.conf.return_room_only = false;
  lease_on("x", 0);
  EXPECT_EQ(check(), refused);
  // It is no fault of this round that more was in use before than there is.
  use(world(1));
  EXPECT_EQ(check(), "");
  lease_on("x", 0);
  EXPECT_EQ(check(), refused);
  preempt("r");
  EXPECT_EQ(check(), "");
  use(world(9));
  lease_on("x", 0);
  EXPECT_EQ(check(), "");
  world_.conf.floating.front().pools = {"elsewhere"};
  EXPECT_EQ(check(), refused);
}

TEST_F(doctored, a_job_is_decided_once) {
  clear();
  preempt("r");
  preempt("r");
  EXPECT_EQ(check(), "job r was decided twice");
}

TEST_F(doctored, a_discarded_plan_decides_nothing) {
  made_.tokens_used = 3;
  made_.preemption_tokens_used = 2;
  ASSERT_FALSE(made_.queues.empty());
  made_.queues.front().tokens_used = 1;
  engine::discard(made_, "why");
  EXPECT_EQ(made_.violation, "why");
  EXPECT_TRUE(made_.leases.empty());
  EXPECT_TRUE(made_.preemptions.empty());
  EXPECT_EQ(made_.tokens_used + made_.preemption_tokens_used + made_.queues.front().tokens_used,
            0u);
}

TEST_F(doctored, a_queue_may_not_get_more_than_its_limit_of_all_classes) {
  const std::string text(world_text);
  use(text + "L b - cpu 0.5\n");
  lease_on("w", 0);
  lease_on("u", 1, 2000);
  EXPECT_EQ(check(true), "");
  lease_on("h1", 1);
  lease_on("h2", 1);
  EXPECT_EQ(check(true), "queue 'b' was given more cpu than its resourceLimits");
  use(text + "L b - cpu 0.5\nC queueResourceLimits false\n");
  for (const auto* job : {"w", "h1", "h2"}) lease_on(job, 1);
  EXPECT_EQ(check(true), "");
}

}  // namespace

}  // namespace argosy::scheduling
