// SPDX-License-Identifier: Apache-2.0
// Goal: jobs run on a cluster whose executor is Armada's as on any other, and what such an executor
// may not do is refused. Method: a whole control plane in virtual time, and an executor that sends
// what a real one sends, over the bus of the transports of the process.
#include <gmock/gmock.h>

#include "messages/proto/argosy/control.pb.h"
#include "runtime/bus/caller_headers.hpp"
#include "tests/support/armada/fake_executor.hpp"
#include "tests/support/control_plane/control_plane_fixture.hpp"

namespace argosy::tests {

using argosy::testing::fake_executor;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::SizeIs;
using namespace std::chrono_literals;

struct armada_executors : control_plane_test {
  armada_executors() {
    begin();
    create_queue("a");
    caller.permissions = access::permission_set::all();
  }
  ~armada_executors() override { transport->close(); }

  void begin() {
    start([this](actors::root_config& with) {
      with.inner_connection = inner.connect();
      with.armada_clusters = {{.name = "far", .users = {"ann", "bob"}},
                              {.name = "near", .users = {"ann"}}};
    });
  }

  fake_executor executor(const std::string& name) {
    return {name, [this](const std::string& bytes) { return lease(bytes); },
            [this](const std::string& bytes) { return report(bytes); }};
  }
  result<std::vector<std::string>> lease(const std::string& bytes) {
    std::vector<std::string> items;
    std::optional<result<void>> end;
    bus::stream_events events;
    events.on_item = [&](bus::frame item) { items.push_back(std::move(item.data)); };
    events.on_end = [&](result<void> how) { end = std::move(how); };
    const auto stream = transport->open_stream("argosy.api.ExecutorApi.LeaseJobRuns", bytes,
                                               bus::caller_headers(caller), {}, std::move(events));
    for (int i = 0; i < 100 && !end; ++i) pass(10ms);
    if (!end) return fail(ec::timeout, "no answer");
    if (!*end) return fail(end->error());
    return items;
  }
  result<void> report(const std::string& bytes) {
    std::optional<result<bus::frame>> got;
    transport->request("argosy.api.ExecutorApi.ReportEvents", bytes, bus::caller_headers(caller),
                       10s, [&](result<bus::frame> reply) { got = std::move(reply); });
    for (int i = 0; i < 100 && !got; ++i) pass(10ms);
    if (!got) return fail(ec::timeout, "no answer");
    if (!*got) return fail(got->error());
    return {};
  }
  /// Time for a round, and for what follows from it.
  void settle_round() { pass(2s); }
  api::JobState state(const std::string& id) { return job(id).state(); }

  access::principal caller = access::make_principal({"ann", {}, {}, {}}, {});
  bus::memory_broker inner;
  std::shared_ptr<bus::connection> transport = inner.connect();
};

namespace {

TEST_F(armada_executors, run_jobs_to_a_good_end) {
  auto far = executor("far");
  ASSERT_TRUE(far.exchange());
  const auto id = submit("a").at(0);
  settle_round();
  ASSERT_EQ(state(id), api::LEASED);
  ASSERT_TRUE(far.exchange());
  ASSERT_THAT(far.pods, SizeIs(1));
  const auto& lease = far.pods.begin()->second.lease;
  EXPECT_EQ(lease.job().job_id(), id);
  EXPECT_EQ(lease.queue(), "a");
  EXPECT_EQ(lease.jobset(), "set");
  far.submit();
  ASSERT_TRUE(far.exchange());
  ASSERT_TRUE(far.run());
  settle_round();
  EXPECT_EQ(state(id), api::RUNNING);
  EXPECT_EQ(job(id).node(), "k1");
  ASSERT_TRUE(far.succeed());
  EXPECT_EQ(state(id), api::SUCCEEDED) << "the report is answered when it is kept";
  ASSERT_TRUE(far.exchange());
  EXPECT_THAT(far.cancelled, IsEmpty());
  EXPECT_TRUE(failures.empty());
}

TEST_F(armada_executors, report_failures_with_their_exit_code) {
  auto far = executor("far");
  ASSERT_TRUE(far.exchange());
  const auto id = submit("a").at(0);
  settle_round();
  ASSERT_TRUE(far.exchange());
  ASSERT_TRUE(far.run());
  ASSERT_TRUE(far.fail_with(3));
  EXPECT_EQ(state(id), api::FAILED);
  EXPECT_THAT(describe(id).DebugString(), HasSubstr("exit_code: 3"));
}

TEST_F(armada_executors, have_a_cancelled_run_named_until_it_is_gone) {
  auto far = executor("far");
  ASSERT_TRUE(far.exchange());
  const auto id = submit("a").at(0);
  settle_round();
  ASSERT_TRUE(far.exchange());
  ASSERT_TRUE(far.run());
  ASSERT_TRUE(far.exchange());
  api::JobCancelRequest cancel;
  cancel.add_job_ids(id);
  ASSERT_TRUE(call("Submit.CancelJobs", cancel));
  far.stubborn = true;
  for (int i = 0; i < 2; ++i) {
    ASSERT_TRUE(far.exchange());
    EXPECT_THAT(far.cancelled, SizeIs(1));
    EXPECT_EQ(nodes()["far/k1"].used().empty(), false) << "the pod is still there";
  }
  far.stubborn = false;
  ASSERT_TRUE(far.exchange());
  EXPECT_THAT(far.pods, IsEmpty());
  ASSERT_TRUE(far.exchange());
  settle_round();
  EXPECT_EQ(state(id), api::CANCELLED);
  EXPECT_THAT(far.cancelled, IsEmpty());
}

TEST_F(armada_executors, have_a_preempted_run_cancelled) {
  auto far = executor("far");
  ASSERT_TRUE(far.exchange());
  const auto id = submit("a", {.priority_class = "armada-preemptible"}).at(0);
  settle_round();
  ASSERT_TRUE(far.exchange());
  ASSERT_TRUE(far.run());
  ASSERT_TRUE(far.exchange());
  EXPECT_EQ(far.pods.begin()->second.lease.job().objectmeta().labels().at("armada_preemptible"),
            "true");
  api::JobPreemptRequest preempt;
  preempt.set_queue("a");
  preempt.set_job_set_id("set");
  preempt.add_job_ids(id);
  ASSERT_TRUE(call("Submit.PreemptJobs", preempt));
  ASSERT_TRUE(far.exchange());
  EXPECT_THAT(far.cancelled, SizeIs(1));
  ASSERT_TRUE(far.exchange());
  settle_round();
  EXPECT_EQ(state(id), api::PREEMPTED);
}

TEST_F(armada_executors, get_a_job_again_that_came_back) {
  auto far = executor("far");
  ASSERT_TRUE(far.exchange());
  const auto id = submit("a").at(0);
  settle_round();
  ASSERT_TRUE(far.exchange());
  far.submit();
  ASSERT_TRUE(far.exchange());
  const auto first = far.pods.begin()->first;
  ASSERT_TRUE(far.give_back(first, false));
  far.pods.clear();
  settle_round();
  ASSERT_TRUE(far.exchange());
  ASSERT_THAT(far.pods, SizeIs(1));
  EXPECT_NE(far.pods.begin()->first, first) << "it is another run";
  EXPECT_EQ(far.pods.begin()->second.lease.job().job_id(), id);
}

TEST_F(armada_executors, lose_nothing_when_they_or_the_control_plane_start_anew) {
  auto far = executor("far");
  ASSERT_TRUE(far.exchange());
  const auto ids = submit("a", {.count = 3});
  settle_round();
  ASSERT_TRUE(far.exchange());
  ASSERT_THAT(far.pods, SizeIs(3));
  ASSERT_TRUE(far.run());
  auto again = executor("far");
  again.pods = far.pods;
  ASSERT_TRUE(again.exchange());
  EXPECT_THAT(again.cancelled, IsEmpty());

  crash();
  begin();
  EXPECT_FALSE(again.succeed()) << "nobody has asked for leases yet";
  ASSERT_TRUE(again.exchange());
  EXPECT_THAT(again.cancelled, IsEmpty());
  EXPECT_THAT(again.pods, SizeIs(3));
  ASSERT_TRUE(again.reconcile());
  for (const auto& id : ids) EXPECT_EQ(state(id), api::SUCCEEDED);
}

TEST_F(armada_executors, that_are_silent_keep_their_jobs) {
  auto far = executor("far");
  ASSERT_TRUE(far.exchange());
  const auto id = submit("a").at(0);
  settle_round();
  ASSERT_TRUE(far.exchange());
  ASSERT_TRUE(far.run());
  add_agent("other", {node_of("n", 4)});
  advance(30min);
  EXPECT_EQ(state(id), api::RUNNING);
  EXPECT_EQ(job(id).cluster(), "far");
  ASSERT_TRUE(far.exchange());
  ASSERT_TRUE(far.succeed());
  EXPECT_EQ(state(id), api::SUCCEEDED);
}

TEST_F(armada_executors, are_refused_unless_the_settings_name_their_cluster) {
  auto stranger = executor("stranger");
  const auto refused = stranger.exchange();
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().code, ec::conflict);
  EXPECT_THAT(refused.error().detail, HasSubstr("armadaExecutors.clusters"));
  EXPECT_THAT(refused.error().detail, HasSubstr("promise: confirmed-only"));
}

TEST_F(armada_executors, serve_only_clusters_of_their_user) {
  caller = access::make_principal({"bob", {}, {}, {}}, {});
  auto near = executor("near");
  EXPECT_EQ(near.exchange().error().code, ec::denied) << "he lacks the permission";
  caller.permissions.add(access::permission::execute_jobs);
  const auto refused = near.exchange();
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().code, ec::denied);
  EXPECT_THAT(refused.error().detail, HasSubstr("user 'bob' may not serve cluster 'near'"));
  auto far = executor("far");
  EXPECT_TRUE(far.exchange());
}

TEST_F(armada_executors, cannot_report_on_runs_of_others) {
  auto near = executor("near");
  ASSERT_TRUE(near.exchange());
  const auto id = submit("a").at(0);
  settle_round();
  ASSERT_TRUE(near.exchange());
  ASSERT_THAT(near.pods, SizeIs(1));
  ASSERT_TRUE(near.run());
  auto far = executor("far");
  caller = access::make_principal({"bob", {}, {}, {}}, {});
  caller.permissions.add(access::permission::execute_jobs);
  ASSERT_TRUE(far.exchange());
  far.pods = near.pods;
  EXPECT_TRUE(far.succeed()) << "it would report them for ever otherwise";
  settle_round();
  EXPECT_EQ(state(id), api::RUNNING);
  for (auto& [run, pod] : far.pods) pod.told = false;
  ASSERT_TRUE(far.exchange());
  EXPECT_THAT(far.cancelled, SizeIs(1)) << "it has a run that it was never given";
}

TEST_F(armada_executors, are_not_harmed_by_requests_that_are_none) {
  EXPECT_EQ(lease("\x0a\xff").error().code, ec::invalid_argument);
  EXPECT_EQ(lease("").error().code, ec::invalid_argument);
  EXPECT_EQ(report("\x0a\xff").error().code, ec::invalid_argument);
  EXPECT_TRUE(report("")) << "no events are none";
  const auto over_nats = call("ExecutorApi.ReportEvents", executorapi::EventList{});
  EXPECT_FALSE(over_nats);
}

TEST_F(armada_executors, hand_their_cluster_over_to_an_agent) {
  auto far = executor("far");
  ASSERT_TRUE(far.exchange());
  const auto first = submit("a").at(0);
  settle_round();
  ASSERT_TRUE(far.exchange());
  ASSERT_TRUE(far.run());
  v1::CordonClusterRequest cordon;
  cordon.set_name("far");
  cordon.set_cordoned(true);
  ASSERT_TRUE(call("ClusterService.CordonCluster", cordon));
  const auto second = submit("a").at(0);
  settle_round();
  ASSERT_TRUE(far.exchange());
  EXPECT_THAT(far.pods, SizeIs(1)) << "a cordoned cluster gets nothing new";
  ASSERT_TRUE(far.succeed());
  ASSERT_TRUE(far.exchange());
  EXPECT_EQ(state(first), api::SUCCEEDED);
  advance(20s);
  auto& agent = add_agent("far", {node_of("n", 4)});
  cordon.set_cordoned(false);
  ASSERT_TRUE(call("ClusterService.CordonCluster", cordon));
  settle_round();
  EXPECT_EQ(state(second), api::RUNNING);
  EXPECT_TRUE(agent->connected);
  const auto refused = far.exchange();
  ASSERT_FALSE(refused) << "the agent serves the cluster now";
  EXPECT_EQ(refused.error().code, ec::already_exists);
}

}  // namespace

}  // namespace argosy::tests
