// SPDX-License-Identifier: Apache-2.0
// Goal: whoever is on call sees what the parts of the server do, has more logged for a while, and
// takes away an archive without secrets. Method: a real argosyd of --dev with a secret in its
// configuration and Armada's names switched on; tar unpacks the archive.
#include "tests/support/process/deployment_fixture.hpp"

namespace argosy::testing {

namespace {

class on_call : public deployment_fixture {
 protected:
  void SetUp() override {
    const auto config = world.write("argosyd.yaml",
                                    "health:\n  armadaMetrics: true\n"
                                    "access:\n"
                                    "  users:\n"
                                    "    - {name: ann, passwordHash: " +
                                        hash + ", groups: [staff]}\n");
    start_with_queue({"--config", config});
  }

  /// All files of the archive, one behind the other.
  std::string unpacked(const std::string& file) const {
    launch how;
    how.words = {"/bin/tar", "xzOf", file};
    const auto done = run(how, world.folder(), std::chrono::seconds{20});
    EXPECT_EQ(done.code, 0) << done.err;
    return done.out;
  }

  const std::string hash = "$6$saltsalt$" + std::string(86, 'h');
};

TEST_F(on_call, parts_are_shown) {
  const auto top = world.ctl({"actors", "top", "--limit", "0", "--once"});
  EXPECT_EQ(top.code, 0) << top.err;
  EXPECT_NE(top.out.find("OLDEST"), std::string::npos) << top.out;
  for (const auto* part : {"journal", "coordinator", "queue"})
    EXPECT_NE(top.out.find(part), std::string::npos) << part << top.out;
  const auto json = world.ctl({"actors", "top", "--type", "queue", "-o", "json"});
  EXPECT_EQ(json.code, 0) << json.err;
  EXPECT_NE(json.out.find("\"type\":\"argosy.queue\""), std::string::npos) << json.out;
}

TEST_F(on_call, levels_change_for_a_while) {
  const auto levels = world.ctl({"diag", "loglevel", "journal=debug", "--for", "10m"});
  EXPECT_EQ(levels.code, 0) << levels.err;
  EXPECT_NE(world.ctl({"diag", "loglevel"}).out.find("debug"), std::string::npos);
  const auto absent = world.ctl({"diag", "loglevel", "absent=debug"});
  EXPECT_EQ(absent.code, 3) << absent.err;
  EXPECT_NE(absent.err.find("journal"), std::string::npos) << "the components are listed";
  EXPECT_TRUE(eventually(
      [&] { return world.ctl({"audit"}).out.find("SetLogLevel") != std::string::npos; }));
  // It comes to an end though nothing is logged on this level.
  ASSERT_EQ(world.ctl({"diag", "loglevel", "journal=off", "--for", "500ms"}).code, 0);
  EXPECT_TRUE(eventually([&] {
    return world.ctl({"diag", "loglevel"}).out.find("off") == std::string::npos;
  }));
}

TEST_F(on_call, a_bundle_has_no_secrets) {
  const auto ids = world.submit({{"true"}});
  ASSERT_EQ(ids.size(), 1u);
  ASSERT_EQ(wait_for(ids[0]), 0);
  const auto file = (world.folder() / "bundle.tar.gz").string();
  const auto made = world.ctl({"support-bundle", file});
  ASSERT_EQ(made.code, 0) << made.err;
  EXPECT_EQ(made.err.find("lacks"), std::string::npos) << made.err;
  EXPECT_NE(world.ctl({"support-bundle", file}).code, 0) << "it exists already";
  const auto text = unpacked(file);
  EXPECT_NE(text.find("argosy_jobs_total{queue=\"q\",pool=\"default\",state=\"SUCCEEDED\""),
            std::string::npos);
  for (const auto* part : {"\"traceEvents\"", "argosy.journal", "\"msg\":\"ready\""})
    EXPECT_NE(text.find(part), std::string::npos) << part;
  EXPECT_EQ(text.find(hash), std::string::npos);
  EXPECT_EQ(text.find(std::string(20, 'h')), std::string::npos);
}

TEST_F(on_call, a_trace_is_there_for_perfetto) {
  const auto ids = world.submit({{"true"}});
  ASSERT_EQ(ids.size(), 1u);
  ASSERT_EQ(wait_for(ids[0]), 0);
  const auto trace = world.ctl({"trace", ids[0], "-o", "perfetto"});
  EXPECT_EQ(trace.code, 0) << trace.err;
  EXPECT_NE(trace.out.find("traceEvents"), std::string::npos) << trace.out;
}

TEST_F(on_call, metrics_stand_under_the_names_of_armada_as_well) {
  const auto ids = world.submit({{"true"}});
  ASSERT_EQ(ids.size(), 1u);
  ASSERT_EQ(wait_for(ids[0]), 0);
  // There are figures of streams of events once somebody has read one.
  EXPECT_EQ(world.ctl({"watch", "q", "s", "--until=done"}).code, 0);
  const auto text = page("/metrics").second;
  EXPECT_NE(text.find("armada_queue_size{queueName=\"q\",queue=\"q\"} 0"), std::string::npos)
      << text;
  for (const auto* name : {"armada_cluster_available_capacity",
                           "armada_cluster_capacity",
                           "armada_event_api_active_subscriptions",
                           "armada_executor_job_failure_category_total",
                           "armada_queue_priority",
                           "armada_queue_resource_allocated",
                           "armada_queue_resource_queued",
                           "armada_queue_size",
                           "armada_scheduler_actual_share",
                           "armada_scheduler_adjusted_fair_share",
                           "armada_scheduler_constrained_demand",
                           "armada_scheduler_demand",
                           "armada_scheduler_failed_jobs",
                           "armada_scheduler_fair_share",
                           "armada_scheduler_fairness_error",
                           "armada_scheduler_job_resource_seconds_lost_to_preemption",
                           "armada_scheduler_pool_info",
                           "armada_scheduler_pool_scheduling_cycle_times",
                           "armada_scheduler_preempted_jobs",
                           "armada_scheduler_queue_weight",
                           "armada_scheduler_raw_queue_weight",
                           "armada_scheduler_schedule_outcome",
                           "armada_scheduler_scheduled_jobs",
                           "armada_scheduler_uncapped_adjusted_fair_share"})
    EXPECT_NE(text.find(std::string{"# TYPE "} + name + " "), std::string::npos) << name;
}

}  // namespace

}  // namespace argosy::testing
