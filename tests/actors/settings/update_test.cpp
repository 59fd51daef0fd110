// SPDX-License-Identifier: Apache-2.0
// Goal: an operator sets keys of a running server that lie over its file: rounds go by them, they
// outlive restarts and a lost store, one verb takes them back, and a reload tells which of the two
// counts. Method: a control plane in virtual time with the settings of argosyd, whose file is a
// text of the test.
#include <gmock/gmock.h>

#include "tests/actors/settings/update_fixture.hpp"

namespace argosy::tests {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::SizeIs;
using namespace std::chrono_literals;

TEST_F(settings_update, of_a_pool_decides_the_next_round_whose_record_names_its_version) {
  create_queue("q");
  add_agent("c", {node_of("n", 16)}, "gpu");
  const auto before = version_of_file();
  const auto done = update({{"scheduling.pools.gpu.unscheduledResources", "[cpu]"}});
  EXPECT_EQ(done.version_before(), before);
  EXPECT_NE(done.version(), before);
  ASSERT_THAT(done.changed(), SizeIs(1));
  EXPECT_EQ(done.changed(0).name(), "scheduling.pools.gpu.unscheduledResources");
  EXPECT_EQ(done.changed(0).before(), "");
  EXPECT_EQ(done.changed(0).after(), "[cpu]");
  submit("q", {.count = 3});
  pass(3s);
  EXPECT_EQ(running("q"), 0);
  EXPECT_EQ(version_of_last_round(), done.version());
  EXPECT_EQ(undo().version(), before);
  pass(3s);
  EXPECT_EQ(running("q"), 3);
  EXPECT_EQ(version_of_last_round(), before);
}

TEST_F(settings_update, is_in_the_history_with_its_author_and_what_differs) {
  update({{"scheduling.pools.gpu.disableAway", "false"}, {"scheduling.maxNewDecisions", "7"}});
  const auto all = changes();
  const auto& newest = all.changes(0);
  EXPECT_EQ(newest.cause(), "update");
  EXPECT_EQ(newest.by(), "anonymous");
  ASSERT_THAT(newest.changed(), SizeIs(2));
  EXPECT_EQ(newest.changed(0).name(), "scheduling.maxNewDecisions");
  EXPECT_EQ(newest.changed(1).name(), "scheduling.pools.gpu.disableAway");
  EXPECT_EQ(newest.changed(1).before(), "true");
  EXPECT_EQ(newest.changed(1).after(), "false");
}

TEST_F(settings_update, survives_a_restart_and_the_loss_of_the_store) {
  const auto version = update({{"scheduling.maxNewDecisions", "7"},
                               {"scheduling.pools.gpu.disableGangAway", "true"}})
                           .version();
  const auto known = listed(changes());
  stop();
  begin();
  EXPECT_EQ(settings().version(), version);
  EXPECT_THAT(overrides(), ElementsAre("scheduling.maxNewDecisions=7",
                                       "scheduling.pools.gpu.disableGangAway=true"));
  lose_the_store();
  EXPECT_EQ(settings().version(), version);
  EXPECT_THAT(overrides(), SizeIs(2));
  EXPECT_EQ(listed(changes()), known) << "a start with the same settings is no change";
  EXPECT_THAT(dropped, IsEmpty());
}

TEST_F(settings_update, can_be_taken_back_after_a_restart_as_well) {
  update({{"scheduling.maxNewDecisions", "7"}});
  update({{"scheduling.maxNewDecisions", "8"}});
  undo();
  EXPECT_EQ(value("scheduling.maxNewDecisions"), "7");
  stop();
  begin();
  const auto back = undo();
  ASSERT_THAT(back.changed(), SizeIs(1));
  EXPECT_EQ(back.changed(0).after(), "0");
  EXPECT_THAT(overrides(), IsEmpty());
  const auto none = call("Settings.Undo", v1::UndoSettingsRequest{});
  ASSERT_FALSE(none);
  EXPECT_EQ(none.error().code, ec::not_found);
}

TEST_F(settings_update, reload_keeps_it_and_says_that_the_api_wins) {
  update({{"scheduling.maxNewDecisions", "7"}, {"scheduling.pools.gpu.disableAway", "false"}});
  file =
      "scheduling: {maxNewDecisions: 5, maxQueueLookback: 9,\n"
      "             pools: [{name: gpu, disableAway: true}]}\n";
  const auto done = reload();
  ASSERT_THAT(done.changed(), SizeIs(1));
  EXPECT_EQ(done.changed(0).name(), "scheduling.maxQueueLookback");
  ASSERT_THAT(done.overridden(), SizeIs(2));
  EXPECT_EQ(done.overridden(0).name(), "scheduling.maxNewDecisions");
  EXPECT_EQ(done.overridden(0).before(), "5");
  EXPECT_EQ(done.overridden(0).after(), "7");
  EXPECT_EQ(value("scheduling.maxNewDecisions"), "7");
  const auto given_back = update({}, {"scheduling.maxNewDecisions"});
  ASSERT_THAT(given_back.changed(), SizeIs(1));
  EXPECT_EQ(given_back.changed(0).after(), "5");
}

TEST_F(settings_update, unset_takes_single_keys_a_pool_or_all_away) {
  update({{"scheduling.maxNewDecisions", "7"},
          {"scheduling.pools.gpu.disableGangAway", "true"},
          {"store.jobRetention", "2d"}});
  update({}, {"scheduling.pools.gpu"});
  EXPECT_THAT(overrides(), ElementsAre("store.jobRetention=2d", "scheduling.maxNewDecisions=7"));
  const auto last = update({}, {"scheduling", "store"});
  EXPECT_THAT(overrides(), IsEmpty());
  EXPECT_EQ(last.version(), version_of_file());
  EXPECT_FALSE(update({}, {"scheduling"}).overrides_changed()) << "there is nothing left";
}

TEST_F(settings_update, of_the_value_that_the_file_has_is_kept_for_when_the_file_changes) {
  const auto done = update({{"scheduling.pools.gpu.disableAway", "true"}});
  EXPECT_THAT(done.changed(), IsEmpty());
  EXPECT_TRUE(done.overrides_changed());
  EXPECT_FALSE(update({{"scheduling.pools.gpu.disableAway", "true"}}).overrides_changed());
  file = "scheduling: {pools: [{name: gpu, disableAway: false}]}\n";
  EXPECT_THAT(reload().changed(), IsEmpty());
  EXPECT_EQ(value("scheduling.pools.gpu.disableAway"), "true");
}

TEST_F(settings_update, tells_pools_that_nobody_has) {
  add_agent("c", {node_of("n", 16)}, "cpu");
  const auto done = update({{"scheduling.pools.gpu.awayPools", "[cpu, gpu, default, cpuu]"}});
  ASSERT_THAT(done.warnings(), SizeIs(1));
  EXPECT_THAT(done.warnings(0), HasSubstr("names the pool 'cpuu'"));
  EXPECT_THAT(done.warnings(0), HasSubstr("did you mean 'cpu'?"));
  EXPECT_THAT(undo().warnings(), IsEmpty());
  file = "scheduling: {pools: [{name: gpu, awayPools: [cpu, gpux]}]}\n";
  const auto loaded = reload();
  ASSERT_THAT(loaded.warnings(), SizeIs(1));
  EXPECT_THAT(loaded.warnings(0), HasSubstr("did you mean 'gpu'?"));
}

TEST_F(settings_update, null_says_that_the_pool_has_no_setting_of_its_own) {
  const auto done = update({{"scheduling.pools.gpu.disableAway", "null"}});
  ASSERT_THAT(done.changed(), SizeIs(1));
  EXPECT_EQ(done.changed(0).after(), "");
  EXPECT_THAT(overrides(), ElementsAre("scheduling.pools.gpu.disableAway="));
}

TEST_F(settings_update, of_two_writers_of_different_keys_both_get_theirs) {
  update({{"scheduling.maxNewDecisions", "7"}});
  update({{"scheduling.maxQueueLookback", "8"}});
  EXPECT_THAT(overrides(),
              ElementsAre("scheduling.maxQueueLookback=8", "scheduling.maxNewDecisions=7"));
}

TEST_F(settings_update, of_the_pages_views_is_told_to_everybody_and_changes_no_round) {
  const auto version = settings().version();
  const std::string views =
      R"([{"name":"Failures <b>","address":"#/jobs?where=state:failed \u00e4"},)"
      R"({"name":"My team","address":"#/queue/a%20b"}])";
  const auto done = update({{"rest.views", views}});
  EXPECT_EQ(done.version(), version);
  ASSERT_THAT(done.changed(), SizeIs(1));
  EXPECT_EQ(done.changed(0).before(), "[]");
  stop();
  begin();
  const auto all = settings();
  ASSERT_THAT(all.views(), SizeIs(2));
  EXPECT_EQ(all.views(0).name(), "Failures <b>");
  EXPECT_EQ(all.views(0).address(), "#/jobs?where=state:failed \xC3\xA4");
  EXPECT_EQ(all.views(1).address(), "#/queue/a%20b");
  undo();
  EXPECT_THAT(settings().views(), IsEmpty());
}

TEST_F(settings_update, dry_run_changes_nothing) {
  auto asked = request({{"scheduling.maxNewDecisions", "7"}}, {});
  asked.set_dry_run(true);
  const auto would = ask<v1::ChangeSettingsResponse>("Settings.Update", asked);
  EXPECT_TRUE(would.dry_run());
  EXPECT_THAT(would.changed(), SizeIs(1));
  EXPECT_THAT(overrides(), IsEmpty());
  EXPECT_EQ(update({{"scheduling.maxNewDecisions", "7"}}).version(), would.version());
}

TEST_F(settings_update, what_does_not_go_with_a_changed_file_is_dropped_at_the_start_and_told) {
  file = "scheduling: {maximumSchedulingBurst: 5}\n";
  reload();
  update({{"scheduling.maximumSchedulingRate", "2"}, {"scheduling.maxNewDecisions", "7"}});
  file = "{}\n";
  stop();
  begin();
  ASSERT_THAT(dropped, SizeIs(1));
  EXPECT_THAT(dropped[0], HasSubstr("scheduling.maximumSchedulingRate: 2"));
  EXPECT_THAT(overrides(), ElementsAre("scheduling.maxNewDecisions=7"));
  EXPECT_EQ(changes().changes(0).cause(), "start");
  stop();
  begin();
  EXPECT_THAT(dropped, IsEmpty()) << "it is gone for good";
}

}  // namespace argosy::tests
