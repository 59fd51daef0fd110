// SPDX-License-Identifier: Apache-2.0
// Goal: what QUEUEs and NODEs report reaches the snapshot that a round reads. Method: deltas as
// values, folded; a round on the snapshot shows what it knows.
#include "messages/rounds/delta_fold.hpp"

#include <gtest/gtest.h>

#include <array>
#include <map>
#include <set>

#include "messages/rounds/round_history.hpp"
#include "runtime/model/process_plan.hpp"
#include "runtime/scheduling/explain/exclusions.hpp"
#include "runtime/scheduling/round.hpp"

namespace argosy::rounds {
namespace {

ulid job_id(std::uint8_t number) {
  ulid id;
  id.bytes[15] = number;
  return id;
}

/// A pool with one node of two cores, and queue q.
class delta_folds : public ::testing::Test {
 protected:
  delta_folds() { EXPECT_TRUE(fold.fold(node_of("default", "n", 2000)).empty()); }

  static native::node_delta node_of(const std::string& pool, const std::string& name,
                                    std::int64_t milli_cpu) {
    native::node_delta node;
    node.cluster = "c";
    node.pool = model::pool_name{pool};
    node.info.name = model::node_name{name};
    node.info.allocatable = {{"cpu", milli_cpu}};
    return node;
  }

  static ledger::job_upsert job(std::uint8_t number, std::int64_t milli_cpu) {
    auto shape = std::make_shared<model::job_shape>();
    shape->requests = {{"cpu", milli_cpu}};
    shape->priority_class = "armada-preemptible";
    auto header = std::make_shared<model::job_header>();
    header->id = job_id(number);
    header->queue = "q";
    header->shape = std::move(shape);
    ledger::job_upsert item;
    item.header = std::move(header);
    return item;
  }

  static ledger::job_upsert running(std::uint8_t number, std::int64_t milli_cpu, bool stopping) {
    auto item = job(number, milli_cpu);
    model::run_record run;
    run.cluster = model::cluster_name{"c"};
    run.node = model::node_name{"n"};
    run.pool = model::pool_name{"default"};
    run.scheduled_at_priority = 20000;
    item.run = std::make_shared<const model::run_record>(run);
    item.stopping = stopping;
    return item;
  }

  /// Folds jobs that come and jobs that are over.
  void change(std::vector<ledger::job_upsert> set, std::vector<ulid> removed) {
    native::queue_delta delta;
    delta.queue = "q";
    delta.exists = true;
    delta.settings.name = "q";
    delta.jobs = std::make_shared<const ledger::job_changes>(
        ledger::job_changes{std::move(set), std::move(removed)});
    EXPECT_TRUE(fold.fold(delta).empty());
  }

  scheduling::plan decide(std::vector<ledger::job_upsert> set) {
    change(std::move(set), {});
    fold.settle();
    return scheduling::schedule(fold.snapshot(), *config, {});
  }

  bool is_eligible(const ulid& id, const model::pool_name& pool) const {
    return fold.placing().is_eligible(fold.snapshot(), id, pool);
  }

  std::shared_ptr<const scheduling::config> config =
      std::make_shared<const scheduling::config>(scheduling::default_config());
  delta_fold fold{config};
};

TEST_F(delta_folds, say_which_runs_are_stopping) {
  const auto runs = decide({running(1, 2000, false)});
  ASSERT_EQ(runs.queues.size(), 1u);
  EXPECT_DOUBLE_EQ(runs.queues[0].cost_before, 1.0);
  // The stopping run holds its room, but its queue does not use it any more.
  const auto stops = decide({running(1, 2000, true), job(2, 1000)});
  ASSERT_EQ(stops.queues.size(), 1u);
  EXPECT_DOUBLE_EQ(stops.queues[0].cost_before, 0.0);
  EXPECT_TRUE(stops.leases.empty());
}

TEST_F(delta_folds, keep_a_queue_active_that_has_nothing_but_a_run_in_any_state) {
  native::queue_delta other;
  other.queue = "r";
  other.settings.name = "r";
  other.jobs = std::make_shared<const ledger::job_changes>();
  EXPECT_TRUE(fold.fold(other).empty());
  for (const auto state :
       {model::run_state::leased, model::run_state::pending, model::run_state::running}) {
    auto item = running(1, 1000, false);
    auto run = *item.run;
    run.state = state;
    item.run = std::make_shared<const model::run_record>(run);
    const auto made = decide({item});
    ASSERT_EQ(made.queues.size(), 1u) << to_string(state);
    EXPECT_EQ(made.queues[0].name, "q") << "a queue without jobs is not active";
    EXPECT_DOUBLE_EQ(made.queues[0].fair_share, 1.0);
  }
  change({}, {job_id(1)});
  fold.settle();
  EXPECT_TRUE(scheduling::schedule(fold.snapshot(), *config, {}).queues.empty());
}

TEST_F(delta_folds, tell_quarantined_nodes_from_others_that_are_closed) {
  native::node_delta node;
  node.cluster = "c";
  node.pool = "default";
  node.info.allocatable = {{"cpu", 2000}};
  node.info.unschedulable = true;
  for (const auto* name : {"tried again", "quarantined", "cordoned"}) {
    node.info.name = model::node_name{name};
    node.quarantined = node.info.name != "cordoned";
    EXPECT_TRUE(fold.fold(node).empty());
  }
  decide({job(1, 4000)});
  std::map<scheduling::exclusion_cause, std::uint32_t> nodes;
  for (const auto& why : explain(fold.snapshot(), *config, "default", job_id(1)).causes)
    nodes[why.cause] += why.nodes;
  EXPECT_EQ(nodes[scheduling::exclusion_cause::quarantined], 2U);
  EXPECT_EQ(nodes[scheduling::exclusion_cause::closed], 1U);
}

TEST_F(delta_folds, forget_the_shapes_of_jobs_that_are_over) {
  change({job(200, 500)}, {});
  std::size_t compacted = 0;
  for (std::int64_t i = 1; i <= 50'000; ++i) {
    change({job(1, i)}, {});
    const auto numbers = fold.settle();
    if (!numbers.empty()) ++compacted;
    change({}, {job_id(1)});
    ASSERT_LT(fold.snapshot().entry_count(), 10'100u);
  }
  EXPECT_GT(compacted, 5u);
  fold.settle();
  const auto kept = fold.find(job_id(200));
  ASSERT_TRUE(kept);
  EXPECT_EQ(kept->queue, "q");
  const auto same = decide({job(201, 500), job(202, 501)});
  EXPECT_EQ(fold.find(job_id(201))->shape, kept->shape) << "equal shapes have one number";
  EXPECT_NE(fold.find(job_id(202))->shape, kept->shape);
  EXPECT_EQ(same.leases.size(), 3u);
  EXPECT_FALSE(fold.find(job_id(1)));
}

TEST_F(delta_folds, keep_reasons_by_shape_when_shapes_get_other_numbers) {
  const auto plan = decide({job(1, 200), job(2, 1900), job(3, 1900)});
  ASSERT_EQ(plan.leases.size(), 1u);
  ASSERT_EQ(plan.skips.size(), 1u) << "the round looked at one job of the shape only";
  round_history history{config, {}};
  history.decided("default", plan, fold.snapshot(), 1, 1000);
  const auto reason = [&] { return history.explain(fold, job_id(3)).reason; };
  const auto before = reason();
  EXPECT_NE(before, "no round has looked at it yet");
  history.renumber({});
  EXPECT_EQ(reason(), before);
  std::vector<scheduling::shape_id> numbers(2, scheduling::none);
  history.renumber(numbers);
  EXPECT_EQ(reason(), "no round has looked at it yet") << "its shape was forgotten";
  history.decided("default", plan, fold.snapshot(), 2, 1000);
  const auto refused = fold.find(job_id(3))->shape;
  numbers[refused] = 7;
  history.renumber(numbers);
  numbers.assign(8, scheduling::none);
  numbers[7] = refused;
  history.renumber(numbers);
  EXPECT_EQ(reason(), before);
}

TEST_F(delta_folds, place_jobs_where_their_namespace_is_taken) {
  native::node_delta node;
  node.cluster = "c";
  node.pool = "default";
  node.info.name = "n";
  node.info.allocatable = {{"cpu", 2000}};
  node.info.taints = {{"argosy.io/namespaces", "jobs|team-*|!team-b", "NoSchedule"}};
  ASSERT_TRUE(fold.fold(node).empty());
  const auto in = [](std::uint8_t number, const char* name_space) {
    auto out = job(number, 500);
    auto header = *out.header;
    header.name_space = name_space;
    // A user who tolerates everything does not thereby live in another namespace.
    auto shape = *header.shape;
    shape.tolerations = {{"", true, "", ""}, {"argosy.io/namespaces", false, "jobs", ""}};
    header.shape = std::make_shared<const model::job_shape>(shape);
    out.header = std::make_shared<const model::job_header>(header);
    return out;
  };
  const auto plan = decide({in(1, "jobs"), in(2, "others"), in(3, "team-a"), in(4, "team-b")});
  std::vector<ulid> started;
  for (const auto& each : plan.leases) started.push_back(each.job);
  std::ranges::sort(started);
  EXPECT_EQ(started, (std::vector{job_id(1), job_id(3)}));
  const auto why = scheduling::explain(fold.snapshot(), *config, "default", job_id(2));
  ASSERT_EQ(why.causes.size(), 1U);
  EXPECT_EQ(sentence(why.causes[0], *config),
            "1 node takes no jobs of its namespace (only of jobs, team-*, and for now none of "
            "team-b)");
}

TEST_F(delta_folds, place_no_job_where_it_cannot_be_carried_out) {
  native::node_delta node;
  node.cluster = "c";
  node.pool = "default";
  node.info.name = "n";
  node.info.allocatable = {{"cpu", 4000}};
  node.info.taints = {{model::process_backend_taint, "", "NoSchedule"}};
  ASSERT_TRUE(fold.fold(node).empty());
  const auto in = [](std::uint8_t number, const char* obstacle, model::toleration by) {
    auto out = job(number, 500);
    auto header = *out.header;
    auto shape = *header.shape;
    shape.process_obstacle = obstacle;
    shape.tolerations = {std::move(by)};
    header.shape = std::make_shared<const model::job_shape>(shape);
    out.header = std::make_shared<const model::job_header>(header);
    return out;
  };
  const model::toleration process{model::process_backend_taint, true, "", ""};
  const auto plan = decide({in(1, "", process), in(2, "podSpec.volumes", process),
                            in(3, "podSpec.volumes", {"", true, "", ""})});
  ASSERT_EQ(plan.leases.size(), 1U);
  EXPECT_EQ(plan.leases[0].job, job_id(1));
  for (const auto number : std::array<std::uint8_t, 2>{2, 3}) {
    const auto why = scheduling::explain(fold.snapshot(), *config, "default", job_id(number));
    ASSERT_EQ(why.causes.size(), 1U);
    EXPECT_EQ(sentence(why.causes[0], *config),
              "1 node runs processes, as which podSpec.volumes cannot be carried out");
  }
}

TEST_F(delta_folds, place_images_where_containers_are) {
  for (const auto& [name, value] : {std::pair{"n", ""}, {"boxes", model::with_containers}}) {
    auto node = node_of("default", name, 2000);
    node.info.taints = {{model::process_backend_taint, value, "NoSchedule"}};
    ASSERT_TRUE(fold.fold(node).empty());
  }
  const auto with = [](std::uint8_t number, bool in_container) {
    auto out = job(number, 500);
    auto header = *out.header;
    auto shape = *header.shape;
    shape.process_obstacle = "podSpec.containers[0].command";
    // Who tolerates everything does not thereby become a container.
    shape.tolerations = {in_container ? model::toleration{model::process_backend_taint, false,
                                                          model::with_containers, ""}
                                      : model::toleration{"", true, "", ""}};
    header.shape = std::make_shared<const model::job_shape>(shape);
    out.header = std::make_shared<const model::job_header>(header);
    return out;
  };
  const auto plan = decide({with(1, true), with(2, false)});
  ASSERT_EQ(plan.leases.size(), 1U);
  EXPECT_EQ(plan.leases[0].job, job_id(1));
  EXPECT_EQ(fold.snapshot().node_id(plan.leases[0].node), "c/boxes");
  const auto why = scheduling::explain(fold.snapshot(), *config, "default", job_id(2));
  ASSERT_EQ(why.causes.size(), 1U);
  EXPECT_EQ(sentence(why.causes[0], *config),
            "2 nodes run processes, as which a pod without podSpec.containers[0].command cannot be "
            "carried out");
}

TEST_F(delta_folds, place_jobs_where_their_volumes_are) {
  for (const auto& [cluster, name, zone] : {std::tuple{"c", "near", "z1"}, {"c", "far", "z2"}}) {
    native::node_delta node;
    node.cluster = model::cluster_name{cluster};
    node.pool = "default";
    node.info.name = model::node_name{name};
    node.info.allocatable = {{"cpu", 4000}};
    node.info.labels = {{"zone", zone}};
    ASSERT_TRUE(fold.fold(node).empty());
  }
  const auto with_volume = [](std::uint8_t number, const char* cluster, const char* zone) {
    auto out = job(number, 500);
    auto header = *out.header;
    auto shape = *header.shape;
    shape.volumes = {
        {model::cluster_name{cluster}, "why", {{{"zone", model::affinity_rule::op::in, {zone}}}}}};
    header.shape = std::make_shared<const model::job_shape>(shape);
    out.header = std::make_shared<const model::job_header>(header);
    return out;
  };
  const auto plan =
      decide({with_volume(1, "c", "z2"), with_volume(2, "c", "z3"), with_volume(3, "d", "z3")});
  std::map<ulid, std::string> nodes;
  for (const auto& each : plan.leases) nodes[each.job] = fold.snapshot().node_id(each.node);
  EXPECT_EQ(nodes.at(job_id(1)), "c/far");
  EXPECT_FALSE(nodes.contains(job_id(2))) << "no node reaches its volume";
  EXPECT_TRUE(nodes.contains(job_id(3))) << "what holds in another cluster says nothing here";
}

TEST_F(delta_folds, know_the_pools_that_have_nodes) {
  const auto place = [&](const std::string& name, const std::string& pool, bool present = true) {
    native::node_delta node;
    node.cluster = "c";
    node.pool = model::pool_name{pool};
    node.present = present;
    node.info.name = model::node_name{name};
    EXPECT_TRUE(fold.fold(node).empty());
    return fold.pools();
  };
  using names = std::vector<model::pool_name>;
  EXPECT_EQ(place("m", "large"), (names{"default", "large"}));
  EXPECT_EQ(place("n", "large"), names{"large"});
  EXPECT_EQ(place("n", "large"), names{"large"});
  EXPECT_EQ(place("m", "large", false), names{"large"});
  EXPECT_EQ(place("gone", "large", false), names{"large"});
  EXPECT_EQ(place("n", "large", false), names{});
}

TEST_F(delta_folds, count_jobs_only_in_pools_that_could_take_them) {
  auto large = node_of("large", "m", 8000);
  EXPECT_TRUE(fold.fold(large).empty());
  const auto share_in = [&](const std::string& pool) -> std::size_t {
    scheduling::round_params params;
    params.pool = pool;
    return scheduling::schedule(fold.snapshot(), *config, params).queues.size();
  };
  change({job(1, 4000)}, {});
  fold.settle();
  EXPECT_EQ(share_in("default"), 0U) << "no node there has four cores";
  EXPECT_EQ(share_in("large"), 1U);
  EXPECT_FALSE(is_eligible(job_id(1), "default"));
  EXPECT_TRUE(is_eligible(job_id(1), "large"));
  // A silent or closed node counts as long as it is known.
  large.info.unschedulable = true;
  EXPECT_TRUE(fold.fold(large).empty());
  fold.settle();
  EXPECT_EQ(share_in("large"), 1U);
  large.present = false;
  EXPECT_TRUE(fold.fold(large).empty());
  fold.settle();
  EXPECT_EQ(share_in("large"), 0U);
  EXPECT_TRUE(fold.fold(node_of("default", "n", 4000)).empty());
  fold.settle();
  EXPECT_EQ(share_in("default"), 1U) << "its node has grown";
}

TEST_F(delta_folds, put_all_of_a_gang_into_the_pools_of_each) {
  EXPECT_TRUE(fold.fold(node_of("large", "m", 8000)).empty());
  auto launcher = job(1, 500);
  auto worker = job(2, 4000);
  launcher.gang = worker.gang =
      std::make_shared<const model::gang_info>(model::gang_info{"g", 2, 2, ""});
  change({launcher, worker}, {});
  fold.settle();
  EXPECT_FALSE(is_eligible(job_id(1), "default")) << "its worker fits only the other pool";
  EXPECT_TRUE(is_eligible(job_id(1), "large"));
  change({}, {job_id(2)});
  fold.settle();
  EXPECT_TRUE(is_eligible(job_id(1), "default"));
}

/// A round may not give room away that a silent queue has, or may have by now.
class queues_set_aside : public delta_folds {
 protected:
  static ledger::planned_lease lease_of(std::uint8_t number) {
    return {job_id(number), model::cluster_name{"c"}, model::node_name{"n"},
            model::pool_name{"default"}, 20000};
  }
  scheduling::plan decide_now() {
    fold.settle();
    return scheduling::schedule(fold.snapshot(), *config, {});
  }
  /// Another queue wants the whole node.
  void come_other() {
    auto item = job(100, 2000);
    native::queue_delta delta;
    delta.queue = "other";
    delta.exists = true;
    delta.settings.name = "other";
    delta.jobs =
        std::make_shared<const ledger::job_changes>(ledger::job_changes{{std::move(item)}, {}});
    EXPECT_TRUE(fold.fold(delta).empty());
  }
};

TEST_F(queues_set_aside, start_and_lose_nothing_until_they_tell) {
  change({job(1, 500), running(2, 1000, false)}, {});
  come_other();
  fold.set_aside("q", {});
  auto plan = decide_now();
  EXPECT_TRUE(plan.leases.empty()) << "its run holds its room";
  EXPECT_TRUE(plan.preemptions.empty());
  change({}, {job_id(2)});
  plan = decide_now();
  EXPECT_EQ(plan.leases.size(), 1U) << "it counts again";
}

TEST_F(queues_set_aside, hold_the_room_of_leases_that_may_stand) {
  change({job(1, 1000)}, {});
  come_other();
  ledger::place_request part;
  part.leases = {lease_of(1)};
  fold.set_aside("q", part);
  EXPECT_TRUE(decide_now().leases.empty());
  EXPECT_EQ(fold.snapshot().running_count(), 1U);
  // The queue has refused the lease, and tells of nothing that changed.
  change({}, {});
  EXPECT_EQ(decide_now().leases.size(), 1U);
  EXPECT_EQ(fold.snapshot().queued_count(), 2U);
  // It has accepted it.
  fold.set_aside("q", part);
  change({running(1, 1000, false)}, {});
  EXPECT_EQ(fold.snapshot().running_count(), 1U);
  EXPECT_EQ(fold.snapshot().queued_count(), 1U);
}

TEST_F(queues_set_aside, say_whose_room_their_part_frees) {
  change({running(1, 2000, false)}, {});
  ledger::place_request part;
  part.preemptions = {{job_id(1), {}, "for a test"}};
  EXPECT_EQ(fold.set_aside("q", part), std::set<std::string>{"c/n"});
  come_other();
  EXPECT_TRUE(decide_now().preemptions.empty()) << "it is stopping";
  // The queue has refused, since somebody had the job stopped; it still runs.
  change({}, {});
  EXPECT_EQ(fold.snapshot().running_count(), 1U);
}

TEST_F(queues_set_aside, leave_a_silent_node_to_its_runs) {
  change({job(1, 1000)}, {});
  fold.set_aside("c/n");
  EXPECT_TRUE(decide_now().leases.empty());
  EXPECT_TRUE(fold.fold(node_of("default", "n", 2000)).empty());
  EXPECT_EQ(decide_now().leases.size(), 1U);
}

}  // namespace
}  // namespace argosy::rounds
