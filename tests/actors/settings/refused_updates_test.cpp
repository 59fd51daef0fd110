// SPDX-License-Identifier: Apache-2.0
// Goal: a change through the API that is wrong, of an unknown pool, too large or not expected
// changes nothing, and says what is wrong and where. Method: a control plane in virtual time with
// the settings of argosyd, whose file is a text of the test.
#include <gmock/gmock.h>

#include "runtime/settings/reload/overrides.hpp"
#include "tests/actors/settings/update_fixture.hpp"

namespace argosy::tests {

using ::testing::HasSubstr;
using ::testing::SizeIs;

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
