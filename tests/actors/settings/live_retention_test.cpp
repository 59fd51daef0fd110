// SPDX-License-Identifier: Apache-2.0
// Goal: for how long ended jobs and clusters that left are kept can change while the process runs,
// by a reload and through the API, and counts for those that ended before as well. Method: a
// control plane in virtual time with the settings of argosyd, whose file is a text of the test.
#include <gmock/gmock.h>

#include "messages/proto/argosy/settings.pb.h"
#include "runtime/store/scan.hpp"
#include "tests/actors/settings/live_settings_fixture.hpp"

namespace argosy::tests {

using model::run_phase;
using ::testing::HasSubstr;
using ::testing::SizeIs;
using namespace std::chrono_literals;

struct live_retention : live_settings_test {
  live_retention() {
    file = "store: {jobRetention: 1h}\n";
    begin();
    for (const auto* queue : {"a", "ci-b"}) create_queue(queue);
    agent = &add_agent("c", {node_of("n", 16)});
  }

  void reload() { ask<v1::ChangeSettingsResponse>("Settings.Reload", v1::ReloadSettingsRequest{}); }
  void end_job(const std::string& queue, run_phase how) {
    const auto id = submit(queue).at(0);
    pass();
    agent->end(id, how);
    pass();
  }
  int clusters_in_store() {
    int out = 0;
    auto txn = database->begin_read();
    EXPECT_TRUE(store::scan(**txn, store::table::clusters, {}, [&](const store::entry&) {
      ++out;
      return true;
    }));
    return out;
  }
  int ended(const std::string& queue, api::JobState how) { return count(queue, how); }

  scripted_agent* agent = nullptr;
};

TEST_F(live_retention, a_shorter_one_erases_jobs_that_ended_before_the_reload) {
  end_job("a", run_phase::succeeded);
  pass(5min);
  ASSERT_EQ(ended("a", api::JobState::SUCCEEDED), 1);
  file = "store: {jobRetention: 3m}\n";
  reload();
  pass(1min + 1s);
  EXPECT_EQ(ended("a", api::JobState::SUCCEEDED), 0);
  end_job("a", run_phase::succeeded);
  pass(2min);
  EXPECT_EQ(ended("a", api::JobState::SUCCEEDED), 1);
  pass(2min);
  EXPECT_EQ(ended("a", api::JobState::SUCCEEDED), 0);
}

TEST_F(live_retention, a_longer_one_keeps_jobs_that_would_have_been_erased) {
  end_job("a", run_phase::succeeded);
  pass(50min);
  file = "store: {jobRetention: 2h}\n";
  reload();
  pass(60min);
  EXPECT_EQ(ended("a", api::JobState::SUCCEEDED), 1);
  pass(15min);
  EXPECT_EQ(ended("a", api::JobState::SUCCEEDED), 0);
}

TEST_F(live_retention, by_state_and_by_queue_change_as_well) {
  end_job("a", run_phase::succeeded);
  end_job("a", run_phase::failed);
  end_job("ci-b", run_phase::succeeded);
  end_job("ci-b", run_phase::failed);
  file =
      "store:\n"
      "  jobRetention: 1h\n"
      "  jobRetentionByState: {succeeded: 5m}\n"
      "  jobRetentionByQueue: [{queue: ci-*, all: 10m, failed: 15m}]\n";
  reload();
  pass(7min);
  EXPECT_EQ(ended("a", api::JobState::SUCCEEDED), 0);
  EXPECT_EQ(ended("ci-b", api::JobState::SUCCEEDED), 1) << "the rule of the queue counts";
  pass(5min);
  EXPECT_EQ(ended("ci-b", api::JobState::SUCCEEDED), 0);
  EXPECT_EQ(ended("ci-b", api::JobState::FAILED), 1);
  pass(5min);
  EXPECT_EQ(ended("ci-b", api::JobState::FAILED), 0);
  EXPECT_EQ(ended("a", api::JobState::FAILED), 1);
}

TEST_F(live_retention, through_the_api_outlives_a_restart_and_is_taken_back) {
  end_job("a", run_phase::failed);
  v1::UpdateSettingsRequest request;
  auto* key = request.add_set();
  key->set_name("store.jobRetentionByState.failed");
  key->set_value("20m");
  const auto done = ask<v1::ChangeSettingsResponse>("Settings.Update", request);
  EXPECT_EQ(done.version(), done.version_before()) << "rounds do not read it";
  ASSERT_THAT(done.changed(), SizeIs(1));
  EXPECT_EQ(done.changed(0).before(), "");
  EXPECT_EQ(done.changed(0).after(), "20m");
  pass(15min);
  stop();
  begin();
  EXPECT_EQ(ended("a", api::JobState::FAILED), 1);
  pass(7min);
  EXPECT_EQ(ended("a", api::JobState::FAILED), 0);
  reconnect_agents();
  pass();
  end_job("a", run_phase::failed);
  ask<v1::ChangeSettingsResponse>("Settings.Undo", v1::UndoSettingsRequest{});
  pass(30min);
  EXPECT_EQ(ended("a", api::JobState::FAILED), 1) << "the file says it again";
}

TEST_F(live_retention, counts_for_clusters_that_have_left_as_well) {
  (*agent)->silent = true;
  pass(20s);
  v1::ForgetClusterRequest request;
  request.set_name("c");
  const auto done = call("ClusterService.ForgetCluster", request);
  ASSERT_TRUE(done) << done.error().detail;
  agent->kill();
  agents.clear();
  pass(10min);
  EXPECT_EQ(clusters_in_store(), 1);
  file = "store: {jobRetention: 5m}\n";
  reload();
  pass(1min);
  EXPECT_EQ(clusters_in_store(), 0);
}

TEST_F(live_retention, of_events_still_needs_a_restart) {
  file = "store: {jobRetention: 1h, eventRetention: 1h}\n";
  const auto refused = call("Settings.Reload", v1::ReloadSettingsRequest{});
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().code, ec::conflict);
  EXPECT_THAT(refused.error().detail, HasSubstr("store.eventRetention (argosyd.yaml:1:43)"));
}

}  // namespace argosy::tests
