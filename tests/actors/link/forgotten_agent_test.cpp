// SPDX-License-Identifier: Apache-2.0
// Goal: nothing is kept of a remote agent whose cluster was forgotten, and if it was only paused it
// comes back as a new one.
// Method: an agent in a second actor system, in which no time passes for a while.
#include <algorithm>
#include <optional>

#include "messages/view/store_codec.hpp"
#include "tests/actors/link/remote_agent_fixture.hpp"

namespace argosy::tests {

/// The operator says that the agent's machine is gone for good, but it was only paused.
struct forgotten_agent : remote_agent_test {
  forgotten_agent() : process(add_process()) {
    rules.cluster_rules.left_kept = 30s;
    start();
    create_queue("a");
    spawn_agent(process);
    both(1s);
  }

  void forget() {
    pass(20s);
    v1::ForgetClusterRequest request;
    request.set_name("far");
    ask<v1::ForgetClusterResponse>("ClusterService.ForgetCluster", request);
    pass(2min);
  }
  std::size_t alive(const std::string& type) {
    const auto all = trace::live_actors(system);
    return static_cast<std::size_t>(
        std::count_if(all.begin(), all.end(), [&](const auto& one) { return one.type == type; }));
  }
  /// The record of the cluster, if there is one.
  std::optional<ledger::put_cluster> record() {
    const auto txn = database->begin_read();
    const auto value = (*txn)->get(store::table::clusters, "far");
    if (!value || !*value) return {};
    return *view::decode_cluster(**value);
  }

  remote_process& process;
};

TEST_F(forgotten_agent, leaves_neither_actors_nor_a_record) {
  ASSERT_EQ(alive("argosy.executor_proxy"), 1U);
  forget();
  EXPECT_FALSE(record());
  EXPECT_EQ(alive("argosy.cluster"), 0U);
  EXPECT_EQ(alive("argosy.executor_proxy"), 0U);
  EXPECT_TRUE(failures.empty());
}

TEST_F(forgotten_agent, comes_back_as_a_new_one_with_a_higher_incarnation) {
  const auto id = submit("a").at(0);
  both(1s);
  ASSERT_EQ(process.running.size(), 1U);
  const auto before = record()->cluster.incarnation;
  forget();
  ASSERT_FALSE(record());
  both(20s);
  ASSERT_TRUE(record());
  EXPECT_TRUE(record()->present);
  EXPECT_GT(record()->cluster.incarnation, before);
  EXPECT_EQ(job(id).state(), api::SUCCEEDED);
  EXPECT_EQ(job(id).run(), 2U) << "the first run was given up";
  EXPECT_FALSE(process.failure);
}

}  // namespace argosy::tests
