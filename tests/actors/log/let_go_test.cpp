// SPDX-License-Identifier: Apache-2.0
// Goal: of a queue that was deleted and of a cluster that is gone nothing stays, neither actors nor
// records nor time series, and every replica lets go of the same.
// Method: a control plane in virtual time with short retention; tables, actors and samples are
// counted; a second store is rebuilt from the log and compared.
#include <gmock/gmock.h>

#include <algorithm>
#include <map>
#include <numeric>
#include <set>

#include "messages/view/store_codec.hpp"
#include "runtime/store/scan.hpp"
#include "tests/support/control_plane/control_plane_fixture.hpp"

namespace argosy::tests {

using model::run_phase;
using store::table;
using namespace std::chrono_literals;

struct let_go : control_plane_test {
  using entries = std::map<std::string, std::string>;

  let_go() { begin(); }

  /// Begins with events kept for 60 s, ended jobs for 120 s, client ids for 180 s, and clusters
  /// that have left for 10 minutes.
  void begin() {
    rules.queue_rules.client_id_retention_ns = std::chrono::nanoseconds{180s}.count();
    rules.cluster_rules.left_kept = 10min;
    probes = metrics::make_board();
    start([this](actors::root_config& with) {
      with.retention.events = 60s;
      with.retention.jobs = 120s;
      with.retention.client_ids = 180s;
      with.probes = probes;
    });
  }

  entries all(table in) {
    entries out;
    auto txn = database->begin_read();
    EXPECT_TRUE(store::scan(**txn, in, {}, [&](const store::entry& entry) {
      out.emplace(entry.key, entry.value);
      return true;
    }));
    return out;
  }
  std::map<std::string, std::size_t> actors_by_type() {
    std::map<std::string, std::size_t> out;
    for (const auto& actor : trace::live_actors(system)) ++out[actor.type];
    return out;
  }
  /// How many samples the metrics have.
  std::size_t series() const {
    const auto families = probes->families();
    return std::accumulate(
        families.begin(), families.end(), std::size_t{0},
        [](std::size_t sum, const auto& family) { return sum + family.samples.size(); });
  }

  /// The agent falls silent and the operator forgets its cluster.
  void forget(scripted_agent& agent) {
    agent->silent = true;
    pass(20s);
    v1::ForgetClusterRequest request;
    request.set_name(agent->cluster.name);
    const auto done = call("ClusterService.ForgetCluster", request);
    ASSERT_TRUE(done) << done.error().detail;
    agent.kill();
    std::erase_if(agents, [&](const auto& one) { return &one == &agent; });
  }
  void delete_queue(const std::string& name) {
    api::QueueDeleteRequest request;
    request.set_name(name);
    const auto done = call("Submit.DeleteQueue", request);
    ASSERT_TRUE(done) << done.error().detail;
  }
  /// Makes a job that runs and succeeds.
  std::string ended_job(const std::string& queue, scripted_agent& agent,
                        const std::string& client_id = "") {
    const auto id = submit(queue, {.client_id = client_id}).at(0);
    pass(2s);
    agent.end(id, run_phase::succeeded);
    pass();
    EXPECT_EQ(job(id).state(), api::SUCCEEDED);
    return id;
  }

  std::shared_ptr<metrics::board> probes;
};

namespace {

TEST_F(let_go, a_cluster_that_was_forgotten_leaves_nothing) {
  const auto before = actors_by_type();
  auto& agent = add_agent("c", {node_of("n", 4)});
  ASSERT_EQ(all(table::clusters).size(), 1U);
  forget(agent);
  pass(9min);
  EXPECT_EQ(all(table::clusters).size(), 1U);
  pass(2min);
  EXPECT_TRUE(all(table::clusters).empty());
  pass(2min);
  EXPECT_EQ(actors_by_type(), before);
  EXPECT_TRUE(failures.empty());
}

TEST_F(let_go, a_cluster_that_left_goes_after_a_while) {
  const auto before = actors_by_type();
  auto& agent = add_agent("c", {node_of("n", 4)});
  agent.goodbye();
  pass(9min);
  EXPECT_EQ(all(table::clusters).size(), 1U);
  agent.hello();
  pass(2min);
  EXPECT_EQ(nodes().size(), 1U) << "it came back in time";
  agent.goodbye();
  pass(11min);
  EXPECT_TRUE(all(table::clusters).empty());
  const auto listed =
      ask<v1::ListClustersResponse>("Query.ListClusters", v1::ListClustersRequest{});
  EXPECT_EQ(listed.clusters_size(), 0);
  agent.kill();
  agents.clear();
  pass(2min);
  EXPECT_EQ(actors_by_type(), before);
}

TEST_F(let_go, a_cluster_is_let_go_of_by_every_leader_and_every_rebuilt_store) {
  auto& agent = add_agent("c", {node_of("n", 4)});
  agent.goodbye();
  pass(5min);
  agent.kill();
  agents.clear();
  forget(add_agent("d", {node_of("n", 4)}));
  crash();
  begin();
  EXPECT_EQ(all(table::clusters).size(), 2U);
  pass(5min);
  EXPECT_EQ(all(table::clusters).size(), 1U) << "the time goes on from when it left";
  pass(5min);
  EXPECT_TRUE(all(table::clusters).empty());
  add_agent("e", {node_of("n", 4)});
  stop();
  const auto kept = all(table::clusters);
  EXPECT_EQ(kept.size(), 1U);
  database = std::make_shared<store::memory_database>();
  ASSERT_TRUE(recover_state());
  EXPECT_EQ(all(table::clusters), kept);
}

TEST_F(let_go, a_cluster_whose_agent_is_refused_keeps_its_actor_while_that_asks) {
  auto& agent = agents.emplace_back(system, model::cluster_info{"c", "default", "simulated", {}},
                                    std::vector{node_of("n", 4)});
  agent->root = root;
  agent->epoch_seen = {std::uint64_t{1} << 60};
  agent.hello();
  pass();
  const auto first = agent->session;
  for (int i = 0; i < 20; ++i) {
    pass(30s);
    agent.hello();
  }
  pass();
  EXPECT_EQ(agent->errors.back().code, ec::denied);
  EXPECT_EQ(agent->session, first) << "an agent of this process has no other way to it";
  pass(2min);
  EXPECT_EQ(actors_by_type().count("argosy.cluster"), 0U);
}

TEST_F(let_go, a_deleted_queue_leaves_nothing_when_its_client_ids_have_expired) {
  const auto before = actors_by_type();
  auto& agent = add_agent("c", {node_of("n", 4)});
  create_queue("a");
  const auto id = ended_job("a", agent, "x");
  delete_queue("a");
  forget(agent);
  pass(60s);
  EXPECT_EQ(job(id).state(), api::SUCCEEDED) << "it is kept as long as any other that has ended";
  EXPECT_EQ(actors_by_type().at("argosy.queue"), 1U) << "it knows the client ids";
  create_queue("a");
  EXPECT_EQ(submit("a", {.client_id = "x"}).at(0), id);
  delete_queue("a");
  pass(20min);
  EXPECT_EQ(actors_by_type(), before);
  for (const auto in : {table::queues, table::queue_totals, table::client_ids, table::jobs_done,
                        table::specs, table::job_sets, table::set_counts, table::events})
    EXPECT_TRUE(all(in).empty()) << store::to_string(in);
  EXPECT_TRUE(failures.empty());
}

TEST_F(let_go, a_queue_that_is_made_again_is_found_by_all_who_knew_the_one_before) {
  auto& agent = add_agent("c", {node_of("n", 4)});
  create_queue("a");
  ended_job("a", agent, "x");
  delete_queue("a");
  pass(20min);
  ASSERT_EQ(actors_by_type().count("argosy.queue"), 0U);
  create_queue("a");
  ended_job("a", agent, "x");
  EXPECT_EQ(all(table::queues).size(), 1U);
  EXPECT_TRUE(agent->errors.empty());
}

TEST_F(let_go, a_deleted_queue_ends_after_a_restart_as_well) {
  create_queue("a");
  auto& agent = add_agent("c", {node_of("n", 4)});
  ended_job("a", agent, "x");
  delete_queue("a");
  crash();
  begin();
  reconnect_agents();
  EXPECT_EQ(actors_by_type().at("argosy.queue"), 1U) << "it knows the client ids";
  pass(20min);
  EXPECT_EQ(actors_by_type().count("argosy.queue"), 0U);
}

TEST_F(let_go, a_replay_of_what_is_gone_leaves_no_actors) {
  create_queue("a");
  auto& agent = add_agent("c", {node_of("n", 4)});
  ended_job("a", agent);
  delete_queue("a");
  forget(agent);
  pass(20min);
  stop();
  database = std::make_shared<store::memory_database>();
  begin();
  EXPECT_EQ(actors_by_type().count("argosy.queue"), 0U);
  EXPECT_EQ(actors_by_type().count("argosy.cluster"), 0U);
}

TEST_F(let_go, the_health_of_what_left_is_forgotten_by_the_next_leader) {
  const auto healthy = [this] {
    std::set<std::string> names;
    for (const auto& [key, value] : all(table::carried)) {
      const auto entry = view::decode_carried(value);
      EXPECT_TRUE(entry);
      if (entry->what == model::carried_entry::kind::node_health ||
          entry->what == model::carried_entry::kind::queue_health)
        names.insert(entry->name);
    }
    return names;
  };
  create_queue("a");
  create_queue("b");
  auto& agent = add_agent("c", {node_of("n", 4)});
  ended_job("a", agent);
  ended_job("b", agent);
  ASSERT_EQ(healthy(), (std::set<std::string>{"a", "c/n"}));
  delete_queue("a");
  agent.goodbye();
  pass();
  crash();
  begin();
  auto& heir = add_agent("d", {node_of("n", 4)});
  ended_job("b", heir);
  ended_job("b", heir);
  EXPECT_EQ(healthy(), (std::set<std::string>{"b", "d/n"}));
}

TEST_F(let_go, cycles_of_queues_and_clusters_leave_what_the_first_ones_left) {
  std::map<std::string, std::size_t> actors_then;
  std::map<table, std::size_t> records_then;
  std::size_t series_then = 0;
  const std::vector<table> tables{
      table::meta,         table::jobs_live,  table::jobs_done,   table::specs,
      table::events,       table::job_sets,   table::queues,      table::clusters,
      table::nodes,        table::client_ids, table::rounds,      table::history,
      table::queue_totals, table::set_counts, table::jobs_placed, table::carried};
  for (int cycle = 0; cycle < 12; ++cycle) {
    const auto name = std::to_string(cycle);
    create_queue("q" + name);
    auto& agent = add_agent("c" + name, {node_of("n", 4)});
    ended_job("q" + name, agent, "x" + name);
    delete_queue("q" + name);
    forget(agent);
    pass(20min);
    if (cycle == 1) {
      actors_then = actors_by_type();
      series_then = series();
      for (const auto in : tables) records_then[in] = all(in).size();
    }
  }
  EXPECT_EQ(actors_by_type(), actors_then);
  EXPECT_EQ(series(), series_then);
  for (const auto in : tables) EXPECT_EQ(all(in).size(), records_then[in]) << store::to_string(in);
  EXPECT_TRUE(failures.empty());
}

}  // namespace
}  // namespace argosy::tests
