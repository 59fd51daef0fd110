// SPDX-License-Identifier: Apache-2.0
// Goal: an operator sets keys of a running server that lie over its file: rounds go by them, they
// outlive restarts and a lost store, one verb takes them back, and a reload tells which of the two
// counts. A change that is wrong, of an unknown pool, too large or not expected changes nothing,
// and says what is wrong and where. Method: a control plane in virtual time with the settings of
// argosyd, whose file is a text of the test.
#include <gmock/gmock.h>

#include "runtime/settings/reload/overrides.hpp"
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

TEST_F(settings_update, all_mistakes_are_told_with_their_places_and_nothing_changes) {
  const auto before = settings().SerializeAsString();
  const auto why = refused(request({{"scheduling.maxNewDecisions", "many"},
                                    {"scheduling.maxNewDecision", "1"},
                                    {"scheduling.pools.gpu.disbleAway", "true"},
                                    {"scheduling.respectNodePodLimits", "true"},
                                    {"scheduling.eviction", "{}"},
                                    {"scheduling.eviction.probability", "1.5"},
                                    {"store.jobRetentionByState.failed", "5"},
                                    {"store.jobRetention", "1s"},
                                    {"scheduling.pools.gpu.awayPools", "[a, *b]"},
                                    {"scheduling.pools", "[{name: x}]"},
                                    {"scheduling.pools.Bad Name.disableAway", "true"},
                                    {"scheduling.nodeOrder", "[bestFit"},
                                    {"cycle.period", "2s"},
                                    {"scheduling.maxQueueLookback", "4"}},
                                   {}));
  EXPECT_EQ(why.code, ec::invalid_argument);
  for (const auto* expected :
       {"here:1: scheduling.maxNewDecisions: 'many' is not",
        "here:2: scheduling.maxNewDecision: there is", "did you mean 'scheduling.maxNewDecisions'",
        "here:3: scheduling.pools.gpu.disbleAway: pools", "did you mean 'disableAway'",
        "here:4: scheduling.respectNodePodLimits: cannot change",
        "here:5: scheduling.eviction: is a section",
        "here:6: scheduling.eviction.probability: must",
        "here:7: store.jobRetentionByState.failed: ",
        "here:8: store.jobRetention: must be at least", "here:9",
        "here:10: scheduling.pools: set the keys of one pool", "here:11: name: must be", "here:12",
        "here:13: cycle.period: cannot change"})
    EXPECT_THAT(why.detail, HasSubstr(expected));
  EXPECT_THAT(why.detail, Not(HasSubstr("here:14")));
  EXPECT_EQ(settings().SerializeAsString(), before);
  EXPECT_THAT(changes().changes(), SizeIs(1)) << "only the start";
}

TEST_F(settings_update, rules_between_keys_hold_for_the_file_and_the_api_together) {
  const auto why = refused(request({{"scheduling.pools.gpu.unscheduledResources", "[cpus]"}}, {}));
  EXPECT_EQ(why.code, ec::invalid_argument);
  EXPECT_THAT(why.detail, HasSubstr("here:1: scheduling.pools: 'gpu' names 'cpus'"));
  const auto rate = refused(request({{"scheduling.maximumSchedulingRate", "2"}}, {}));
  EXPECT_THAT(rate.detail, HasSubstr("here:1: scheduling.maximumSchedulingRate"));
}

TEST_F(settings_update, of_an_unknown_pool_is_refused_unless_it_is_meant) {
  add_agent("c", {node_of("n", 16)}, "spare");
  auto asked = request({{"scheduling.pools.gpx.disableAway", "true"}}, {});
  const auto why = refused(asked);
  EXPECT_EQ(why.code, ec::not_found);
  EXPECT_THAT(why.detail, HasSubstr("pool 'gpx' is not known"));
  EXPECT_THAT(why.detail, HasSubstr("did you mean 'gpu'?"));
  EXPECT_EQ(refused(request({}, {"scheduling.pools.gpx"})).code, ec::not_found);
  update({{"scheduling.pools.spare.disableAway", "true"}});
  asked.set_new_pools(true);
  ask<v1::ChangeSettingsResponse>("Settings.Update", asked);
  update({{"scheduling.pools.gpx.disableGangAway", "true"}});
  EXPECT_THAT(overrides(), SizeIs(3));
}

TEST_F(settings_update, of_two_writers_the_one_who_read_before_the_other_wrote_is_refused) {
  auto one = request({{"scheduling.maxNewDecisions", "7"}}, {});
  one.set_expected_change(settings().change());
  one.set_mark(settings().mark());
  auto other = one;
  other.mutable_set(0)->set_value("8");
  ask<v1::ChangeSettingsResponse>("Settings.Update", one);
  const auto why = refused(other);
  EXPECT_EQ(why.code, ec::conflict);
  EXPECT_THAT(why.detail, HasSubstr("anonymous changed the settings (change 2)"));
  EXPECT_EQ(value("scheduling.maxNewDecisions"), "7");
  other.set_expected_change(settings().change());
  ask<v1::ChangeSettingsResponse>("Settings.Update", other);
  EXPECT_EQ(value("scheduling.maxNewDecisions"), "8");
}

/// The same number may be of another change once an older state was put back.
TEST_F(settings_update, by_a_number_of_another_history_is_refused) {
  auto asked = request({{"scheduling.maxNewDecisions", "7"}}, {});
  const auto read = settings();
  asked.set_expected_change(read.change());
  EXPECT_THAT(refused(asked).detail, HasSubstr("read again from the beginning"));
  auto mark = read.mark();
  ASSERT_FALSE(mark.empty());
  mark.back() = mark.back() == '0' ? '1' : '0';
  asked.set_mark(mark);
  const auto why = refused(asked);
  EXPECT_EQ(why.code, ec::conflict);
  EXPECT_THAT(why.detail, HasSubstr("read again from the beginning"));
  asked.set_mark("mine");
  EXPECT_EQ(refused(asked).code, ec::invalid_argument);
  const auto changes = ask<v1::ListSettingsChangesResponse>("Settings.ListChanges",
                                                            v1::ListSettingsChangesRequest{});
  asked.set_mark(changes.mark());
  ask<v1::ChangeSettingsResponse>("Settings.Update", asked);
  EXPECT_EQ(value("scheduling.maxNewDecisions"), "7");
}

TEST_F(settings_update, without_a_key_with_one_twice_or_too_large_is_refused) {
  EXPECT_EQ(refused({}).code, ec::invalid_argument);
  EXPECT_THAT(
      refused(
          request({{"scheduling.maxNewDecisions", "1"}, {"scheduling.maxNewDecisions", "2"}}, {}))
          .detail,
      HasSubstr("scheduling.maxNewDecisions: the request sets it twice"));
  std::string list = "[a";
  for (std::size_t i = 0; list.size() < settings::overrides_bytes_max; ++i)
    list += ", pool" + std::to_string(i);
  EXPECT_EQ(refused(request({{"scheduling.pools.gpu.awayPools", list + "]"}}, {})).code,
            ec::too_large);
}

TEST_F(settings_update, with_views_that_lead_out_of_the_page_is_refused) {
  const auto why = [&](const std::string& views) {
    return refused(request({{"rest.views", views}}, {})).detail;
  };
  EXPECT_THAT(why("[{name: a, address: 'https://evil.example.com'}]"),
              HasSubstr("must begin with #/"));
  EXPECT_THAT(why("[{name: a, address: 'javascript:alert(1)'}]"), HasSubstr("must begin with #/"));
  EXPECT_THAT(why("[{name: a}]"), HasSubstr("needs an address for the view 'a'"));
  EXPECT_THAT(why("[{address: '#/jobs'}]"), HasSubstr("needs a name"));
  EXPECT_THAT(why("[{name: \"a\\tb\", address: '#/jobs'}]"), HasSubstr("control characters"));
  EXPECT_THAT(why("[{name: a, address: '#/jobs'}, {name: a, address: '#/sets'}]"),
              HasSubstr("has 'a' twice"));
  EXPECT_THAT(why("[{name: " + std::string(101, 'x') + ", address: '#/jobs'}]"),
              HasSubstr("at most 100 bytes"));
  EXPECT_THAT(settings().views(), SizeIs(0));
}

TEST_F(settings_update, a_file_that_does_not_go_with_it_is_refused_by_reload) {
  file = "scheduling: {maximumSchedulingBurst: 5}\n";
  reload();
  update({{"scheduling.maximumSchedulingRate", "2"}});
  const auto before = settings().SerializeAsString();
  file = "{}\n";
  const auto done = call("Settings.Reload", v1::ReloadSettingsRequest{});
  ASSERT_FALSE(done);
  EXPECT_EQ(done.error().code, ec::invalid_argument);
  EXPECT_THAT(done.error().detail,
              HasSubstr("what was set through the API: scheduling.maximumSchedulingRate"));
  EXPECT_THAT(done.error().detail, HasSubstr("argosyctl config unset"));
  EXPECT_EQ(settings().SerializeAsString(), before);
}

}  // namespace argosy::tests
