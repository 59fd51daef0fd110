// SPDX-License-Identifier: Apache-2.0
// Goal: the person on call reads on one screen what is wrong, what is full and what is slow, worst
// first. Method: the whole command line against a scripted server; exact output.
#include <gmock/gmock.h>

#include "messages/rounds/reports/round_list.hpp"
#include "tests/support/cli/cli_fixture.hpp"

namespace argosy::ctl {

using api::JobState;
using ::testing::HasSubstr;
using ::testing::Not;

constexpr std::int64_t second = 1'000'000'000;

class status_verb : public cli_fixture {
 protected:
  void SetUp() override {
    cli_fixture::SetUp();
    version.set_version("0.1.0");
    version.set_commit("abc");
    version.set_started_ns(now_ns - 3'600 * 5 * second);
    auto& round = rounds.pools.emplace_back();
    round.pool = "default";
    round.number = 12;
    round.time_ns = now_ns - 2 * second;
    round.started = 3;
  }

  static void put(auto& list, const char* resource, std::int64_t amount) {
    auto& one = *list.Add();
    one.set_resource(resource);
    one.set_amount(amount);
  }
  argosy::v1::PoolSummary& add_pool(const std::string& name, std::uint32_t nodes, int cpu_used) {
    auto& pool = *pools.add_pools();
    pool.set_name(name);
    pool.set_nodes(nodes);
    put(*pool.mutable_total(), "cpu", 100'000);
    put(*pool.mutable_used(), "cpu", cpu_used * 1'000);
    return pool;
  }
  argosy::v1::ClusterSummary& add_cluster(const std::string& name, const std::string& state) {
    auto& cluster = *clusters.add_clusters();
    cluster.set_name(name);
    cluster.set_state(state);
    return cluster;
  }
  argosy::v1::NodeSummary& add_node(const std::string& name, const std::string& state) {
    auto& node = *nodes.add_nodes();
    node.set_cluster("east");
    node.set_pool("default");
    node.set_name(name);
    node.set_state(state);
    return node;
  }
  argosy::v1::QueueSummary& add_queue(const std::string& name, std::uint32_t queued) {
    auto& queue = *queues.add_queues();
    queue.mutable_queue()->set_name(name);
    queue.set_queued(queued);
    return queue;
  }
  argosy::v1::JobSummary& wait_for(int number, std::int64_t seconds) {
    auto& job = add_job(job_id(number), JobState::QUEUED);
    job.set_changed_ns(now_ns - seconds * second);
    return job;
  }
  void add_a_quiet_site() {
    add_cluster("east", "connected");
    add_node("n1", "ready");
    add_pool("default", 1, 40);
  }

  outcome status(std::vector<std::string> more = {}) {
    server->always("Query.GetVersion", version);
    server->always("Query.ListClusters", clusters);
    server->always("Query.ListPools", pools);
    server->always("Query.ListNodes", nodes);
    server->always("Query.ListQueues", queues);
    server->always("Explain.ListRounds", rounds::round_list(rounds, {}));
    server->on<argosy::v1::FindJobsRequest, argosy::v1::FindJobsResponse>(
        "Query.FindJobs", [this](const auto& request) -> result<argosy::v1::FindJobsResponse> {
          EXPECT_EQ(request.where(), "state:queued");
          EXPECT_EQ(request.order_by(), "changed");
          argosy::v1::FindJobsResponse out;
          auto sorted = jobs;
          std::sort(sorted.begin(), sorted.end(), [&](const auto& a, const auto& b) {
            return request.ascending() ? a.changed_ns() < b.changed_ns()
                                       : a.changed_ns() > b.changed_ns();
          });
          for (const auto& job : sorted) *out.add_jobs()->mutable_summary() = job;
          return out;
        });
    for (const auto& method : broken) server->refuse(method, {ec::timeout, "it took too long"});
    more.insert(more.begin(), "status");
    return run(more);
  }

  argosy::v1::GetVersionResponse version;
  argosy::v1::ListClustersResponse clusters;
  argosy::v1::ListPoolsResponse pools;
  argosy::v1::ListNodesResponse nodes;
  argosy::v1::ListQueuesResponse queues;
  native::round_report rounds;
  std::vector<std::string> broken;
};

TEST_F(status_verb, says_that_nothing_is_wrong) {
  add_a_quiet_site();
  const auto got = status();
  EXPECT_EQ(got.code, exit_code::success);
  EXPECT_EQ(got.err, "");
  EXPECT_EQ(
      got.out,
      "What is wrong\n"
      "  nothing\n"
      "\n"
      "What is full\n"
      "  pool default: cpu 40% in use; 1 of 1 node takes jobs\n"
      "\n"
      "What is slow\n"
      "  no job waits\n"
      "  pool default: the last round, number 12, was 2s ago and started 3 jobs and preempted "
      "0 jobs\n"
      "  server 0.1.0 abc has been up for 5h\n");
  EXPECT_EQ(server->calls("Query.FindJobs"), 0U) << "nothing waits";
}

TEST_F(status_verb, tells_how_far_those_follow_who_could_take_over) {
  add_a_quiet_site();
  for (const auto behind : {-1, 0, 1, 12}) {
    auto& standby = *version.add_standbys();
    standby.set_holder("host/" + std::to_string(version.standbys_size()));
    if (behind >= 0) standby.set_behind(static_cast<std::uint64_t>(behind));
  }
  EXPECT_THAT(status().out,
              HasSubstr("  standby host/1 waits and does not follow the log\n"
                        "  standby host/2 follows and has all of the log\n"
                        "  standby host/3 follows and lacks 1 record of the log\n"
                        "  standby host/4 follows and lacks 12 records of the log\n"));
}

TEST_F(status_verb, tells_the_worst_first) {
  add_queue("slow", 0).set_slowed(0.5);
  add_queue("shut", 2).mutable_queue()->set_cordoned(true);
  add_queue("idle", 0).mutable_queue()->set_cordoned(true);
  add_queue("held", 5).set_held(4);
  add_cluster("east", "connected");
  add_cluster("north", "expected");
  auto& far = add_cluster("far", "silent");
  far.set_nodes(2);
  far.set_runs(1);
  far.set_last_heard_ns(now_ns - 20 * second);
  auto& cut = add_cluster("cut", "away");
  cut.set_nodes(1);
  cut.set_runs(2);
  cut.set_trouble("the API server https://k:6443 does not answer (no route)");
  cut.set_trouble_since_ns(now_ns - 30 * second);
  auto& south = add_cluster("south", "connected");
  south.set_cordon("cordoned by alice: move");
  auto& full = *south.add_closures();
  full.set_namespace_("jobs");
  full.set_why("exceeded quota: q, used: pods=2, limited: pods=2");
  full.set_seconds_left(8);
  south.mutable_drain()->set_id("01k9x2");
  south.mutable_drain()->set_total(17);
  south.mutable_drain()->set_done(14);
  add_node("n1", "ready");
  add_node("n2", "cordoned").set_reason("cordoned by bob: new disk");
  auto& bad = add_node("n3", "quarantined");
  bad.set_reason("3 of 4 runs failed");
  bad.set_quarantined_until_ns(now_ns + 60 * second);
  add_node("n4", "silent");
  rounds.pools[0].discarded = "it starts a job twice";
  wait_for(1, 3'700);
  EXPECT_THAT(status().out,
              HasSubstr("What is wrong\n"
                        "  the last plan for pool default was discarded: it starts a "
                        "job twice\n"
                        "  cluster far is silent for 20s: nothing starts on its 2 "
                        "nodes, and nobody knows what its 1 run does there\n"
                        "  cluster cut is away for 30s, since the API server https://k:6443 does "
                        "not answer (no route): nothing starts on its 1 node, and what is told of "
                        "its 2 runs may be old\n"
                        "  cluster south takes no jobs of namespace jobs for now: exceeded "
                        "quota: q, used: pods=2, limited: pods=2; one job tries it in 8 s\n"
                        "  cluster north was not heard since the server started\n"
                        "  cluster south is cordoned by alice: move; 3 of 17 runs are left "
                        "to drain\n"
                        "  node east/n3 is quarantined: 3 of 4 runs failed; for 60s more\n"
                        "  node east/n2 is cordoned by bob: new disk\n"
                        "  queue slow starts its jobs 50.0% more slowly, since its "
                        "runs fail\n"
                        "  queue shut is cordoned, and 2 jobs wait in it\n"
                        "  queue idle is cordoned\n"
                        "  queue held holds 4 of the 5 jobs that wait\n"
                        "\n"));
}

TEST_F(status_verb, tells_many_nodes_in_one_sentence_after_what_a_cluster_lacks) {
  add_a_quiet_site();
  add_cluster("south", "connected").set_lacks("the API server denies it rights");
  for (int i = 2; i < 9; ++i) add_node("n" + std::to_string(i), "quarantined");
  EXPECT_THAT(status().out,
              HasSubstr("  cluster south goes on, but the API server denies it rights\n"
                        "  7 nodes of cluster east are quarantined: n2, n3, n4 and 4 more\n"));
}

TEST_F(status_verb, keeps_to_one_screen) {
  add_a_quiet_site();
  for (int i = 0; i < 30; ++i)
    add_queue("q" + std::to_string(i), 0).mutable_queue()->set_cordoned(true);
  const auto got = status().out;
  EXPECT_THAT(got, HasSubstr("  queue q11 is cordoned\n  and 18 more; -o json has all\n"));
  EXPECT_THAT(status({"-o", "json"}).out, HasSubstr("queue q29 is cordoned"));
}

TEST_F(status_verb, tells_the_fullest_pool_first_and_leaves_out_what_is_silent) {
  add_a_quiet_site();
  auto& gpus = add_pool("gpus", 4, 93);
  gpus.set_silent_nodes(1);
  put(*gpus.mutable_silent_total(), "cpu", 50'000);
  put(*gpus.mutable_silent_used(), "cpu", 50'000);
  for (const auto* resource : {"memory", "nvidia.com/gpu", "ephemeral-storage"})
    put(*gpus.mutable_total(), resource, 8);
  put(*gpus.mutable_used(), "nvidia.com/gpu", 8);
  const auto got = status().out;
  EXPECT_THAT(got, HasSubstr("What is full\n"
                             "  pool gpus: cpu 86%, memory 0%, gpu 100% in use; 0 of 4 nodes take "
                             "jobs\n"
                             "  pool default: cpu 40% in use; 1 of 1 node takes jobs\n"));
  EXPECT_THAT(got, HasSubstr("  pool gpus has no node that takes jobs\n"));
}

TEST_F(status_verb, tells_how_much_waits_and_how_long) {
  add_a_quiet_site();
  add_queue("a", 7).set_held(2);
  add_queue("shut", 3).mutable_queue()->set_cordoned(true);
  wait_for(1, 10);
  wait_for(2, 7'200 + 300);
  wait_for(3, 90'000).mutable_hold();
  wait_for(4, 80'000).set_queue("shut");
  // This job was leased between the search and its description.
  wait_for(5, 70'000).set_state(JobState::LEASED);
  const auto got = status();
  EXPECT_THAT(got.out,
              HasSubstr("What is slow\n"
                        "  10 jobs wait, 2 of them held, 3 in cordoned queues; the oldest, " +
                        job_id(2) + " of queue a, has waited for 125m\n"));
}

TEST_F(status_verb, misses_a_round_only_if_a_job_came_since) {
  add_a_quiet_site();
  add_queue("a", 2);
  rounds.pools[0].time_ns = now_ns - 1'000 * second;
  wait_for(1, 2'000);
  EXPECT_THAT(status().out, HasSubstr("What is wrong\n  nothing\n"));
  wait_for(2, 30);
  EXPECT_THAT(status().out, HasSubstr("What is wrong\n  nothing\n")) << "a round may take a while";
  jobs.back().set_changed_ns(now_ns - 300 * second);
  EXPECT_THAT(status().out, HasSubstr("  no round has taken place for 16m, though job " +
                                      job_id(2) + " has waited for 5m\n"));
  rounds.pools[0].number = 0;
  const auto got = status().out;
  EXPECT_THAT(got, HasSubstr("  no round has taken place, though job"));
  EXPECT_THAT(got, HasSubstr("  pool default: no round to tell of; rounds take place while there "
                             "are jobs\n"));
}

TEST_F(status_verb, says_what_the_server_did_not_tell_and_goes_on) {
  add_a_quiet_site();
  broken = {"Query.ListNodes", "Query.ListClusters"};
  const auto got = status();
  EXPECT_EQ(got.code, exit_code::success);
  EXPECT_THAT(got.out, HasSubstr("  the server did not tell the clusters: it took too long\n"
                                 "  the server did not tell the nodes: it took too long\n\n"));
  EXPECT_THAT(got.out, HasSubstr("  pool default: cpu 40% in use\n"));
  EXPECT_THAT(got.out, Not(HasSubstr("no cluster has joined")));
}

TEST_F(status_verb, does_not_say_that_no_job_waits_where_the_queues_were_not_told) {
  add_a_quiet_site();
  broken = {"Query.ListQueues"};
  const auto got = status().out;
  EXPECT_THAT(got, HasSubstr("  the server did not tell the queues: it took too long\n"));
  EXPECT_THAT(got, HasSubstr("  how many jobs wait is not known\n"));
  EXPECT_THAT(status({"-o", "json"}).out, HasSubstr(R"("waiting":null)"));
}

TEST_F(status_verb, fails_only_if_the_server_cannot_be_asked) {
  broken = {"Query.GetVersion"};
  EXPECT_EQ(status().code, exit_code::unreachable);
  connection = fail(ec::unreachable, "nobody is there");
  EXPECT_EQ(run({"status"}).code, exit_code::unreachable);
}

TEST_F(status_verb, says_that_nothing_can_run_without_a_cluster) {
  rounds.pools.clear();
  const auto got = status().out;
  EXPECT_THAT(got, HasSubstr("  no cluster has joined, so that nothing can run\n"));
  EXPECT_THAT(got, HasSubstr("What is full\n  there are no nodes\n"));
}

TEST_F(status_verb, warns_of_jobs_that_never_fit_while_they_wait) {
  add_a_quiet_site();
  auto& large = add_queue("large", 3);
  large.set_blocked(2);
  large.set_unfit(7);
  add_queue("past", 0).set_unfit(1);
  wait_for(1, 90);
  const auto got = status({"-o", "json"}).out;
  EXPECT_THAT(got, HasSubstr(R"({"severity":"warning","kind":"neverFits","text":"queue large: 2 )"
                             R"(jobs can run on no node, even an empty one; rejected for that )"
                             R"(since the server began: 7"})"));
  EXPECT_THAT(got, HasSubstr(R"({"severity":"note","kind":"neverFits","text":"queue past: 0 jobs )"
                             R"(can run on no node, even an empty one; rejected for that since )"
                             R"(the server began: 1"})"));
}

TEST_F(status_verb, prints_json_for_programs) {
  add_a_quiet_site();
  add_queue("a", 2).set_held(1);
  wait_for(1, 90);
  const auto got = status({"-o", "json"}).out;
  EXPECT_THAT(got, HasSubstr(R"("wrong":[{"severity":"note","kind":"heldJobs","text":"queue a )"
                             R"(holds 1 of the 2 jobs that wait"}])"));
  EXPECT_THAT(
      got,
      HasSubstr(R"("pools":[{"name":"default","nodes":1,"readyNodes":1,"used":{"cpu":0.4}}])"));
  EXPECT_THAT(got, HasSubstr(R"("rounds":[{"pool":"default","number":"12","ageSeconds":2,"did":)"
                             R"("started 3 jobs and preempted 0 jobs","discarded":""}])"));
  EXPECT_THAT(got, HasSubstr(R"("waiting":{"jobs":2,"held":1,"inCordonedQueues":0,"oldest":{)"
                             R"("jobId":")" +
                             job_id(1) + R"(","queue":"a","waitedSeconds":90}}})"));
}

}  // namespace argosy::ctl
