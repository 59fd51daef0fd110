// SPDX-License-Identifier: Apache-2.0
// Goal: rounds are decided by new settings from the next cycle on, their records say so, a wrong
// file changes nothing, and the changes are known after a restart. Method: a control plane in
// virtual time with the settings of argosyd, whose file is a text of the test.
#include <gmock/gmock.h>

#include <algorithm>

#include "messages/codec/log/log_codec.hpp"
#include "messages/proto/argosy/settings.pb.h"
#include "tests/actors/settings/live_settings_fixture.hpp"

namespace argosy::tests {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::SizeIs;
using namespace std::chrono_literals;

struct settings_reload : live_settings_test {
  settings_reload() {
    file = "scheduling: {maximumSchedulingBurst: 2, maximumSchedulingRate: 0.001}\n";
    begin();
  }

  v1::ChangeSettingsResponse reload(bool dry_run = false) {
    v1::ReloadSettingsRequest request;
    request.set_dry_run(dry_run);
    return ask<v1::ChangeSettingsResponse>("Settings.Reload", request);
  }
  /// What is listed, without the settings of starts.
  v1::ListSettingsChangesResponse changes() {
    auto out = all_changes();
    auto& list = *out.mutable_changes();
    list.erase(std::remove_if(list.begin(), list.end(),
                              [](const auto& change) { return change.cause() == "start"; }),
               list.end());
    return out;
  }
  v1::ListSettingsChangesResponse all_changes() {
    return ask<v1::ListSettingsChangesResponse>("Settings.ListChanges",
                                                v1::ListSettingsChangesRequest{});
  }
  /// The records of all rounds.
  std::vector<model::round_decided> rounds() {
    std::vector<model::round_decided> out;
    const auto end = log->info()->last_position;
    for (model::log_position at{1}; at <= end; ++at) {
      const auto batch = codec::decode_batch(log->get(at)->data);
      EXPECT_TRUE(batch);
      for (const auto& event : batch->events)
        if (const auto* round = std::get_if<model::round_decided>(&event.payload))
          out.push_back(*round);
    }
    return out;
  }
  int running(const std::string& queue) {
    return count(queue, api::JobState::LEASED) + count(queue, api::JobState::PENDING) +
           count(queue, api::JobState::RUNNING);
  }
};

TEST_F(settings_reload, changes_what_the_next_round_decides_and_what_its_record_names) {
  create_queue("q");
  add_agent("c", {node_of("n", 16)});
  submit("q", {.count = 8});
  pass(3s);
  ASSERT_EQ(running("q"), 2);
  const auto before = version_of_file();
  EXPECT_EQ(rounds().back().config_version, before);
  file = "scheduling: {maximumSchedulingBurst: 0}\n";
  const auto done = reload();
  EXPECT_EQ(done.version_before(), before);
  EXPECT_EQ(done.version(), version_of_file());
  EXPECT_NE(done.version(), before);
  EXPECT_THAT(done.changed(), SizeIs(2));
  pass(3s);
  EXPECT_EQ(running("q"), 8) << "a cycle begins though no job and no node has changed";
  EXPECT_EQ(rounds().back().config_version, done.version());
}

TEST_F(settings_reload, holds_for_a_pool_with_settings_of_its_own) {
  create_queue("q");
  add_agent("c", {node_of("n", 16)}, "gpu");
  file = "scheduling: {pools: [{name: gpu, unscheduledResources: [cpu]}]}\n";
  const auto done = reload();
  EXPECT_THAT(done.changed(), SizeIs(3));
  submit("q", {.count = 3});
  pass(3s);
  EXPECT_EQ(running("q"), 0);
  file = "{}\n";
  reload();
  pass(3s);
  EXPECT_EQ(running("q"), 3);
}

TEST_F(settings_reload, a_wrong_file_changes_nothing_and_the_error_names_the_place) {
  const auto before = version_of_file();
  file = "scheduling:\n  maximumSchedulingBurst: many\n";
  const auto refused = call("Settings.Reload", v1::ReloadSettingsRequest{});
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().code, ec::invalid_argument);
  EXPECT_THAT(refused.error().detail, HasSubstr("argosyd.yaml:2:27"));
  EXPECT_THAT(changes().changes(), IsEmpty());
  file = "{}\n";
  EXPECT_EQ(reload().version_before(), before);
}

TEST_F(settings_reload, what_needs_a_restart_is_named_and_keeps_all_from_changing) {
  const auto before = version_of_file();
  file =
      "cycle: {period: 3s}\n"
      "scheduling:\n"
      "  maxNewDecisions: 4\n"
      "  respectNodePodLimits: true\n";
  const auto refused = call("Settings.Reload", v1::ReloadSettingsRequest{});
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().code, ec::conflict);
  EXPECT_THAT(refused.error().detail, HasSubstr("cycle.period (argosyd.yaml:1:17)"));
  EXPECT_THAT(refused.error().detail,
              HasSubstr("scheduling.respectNodePodLimits (argosyd.yaml:4:25)"));
  EXPECT_THAT(refused.error().detail, Not(HasSubstr("maxNewDecisions")));
  EXPECT_THAT(changes().changes(), IsEmpty());
  file = "{}\n";
  EXPECT_EQ(reload(true).version_before(), before);
}

TEST_F(settings_reload, dry_run_and_an_unchanged_file_change_nothing) {
  const auto before = version_of_file();
  EXPECT_EQ(reload().version(), before);
  file = "scheduling: {maxNewDecisions: 4}\n";
  EXPECT_EQ(reload(true).version(), version_of_file());
  EXPECT_THAT(changes().changes(), IsEmpty());
  EXPECT_EQ(reload().version_before(), before) << "the dry run has not counted as a change";
}

TEST_F(settings_reload, undo_goes_back_step_by_step) {
  const auto first = version_of_file();
  file = "scheduling: {maxNewDecisions: 4}\n";
  const auto second = reload().version();
  file = "scheduling: {maxNewDecisions: 5}\n";
  reload();
  auto back = ask<v1::ChangeSettingsResponse>("Settings.Undo", v1::UndoSettingsRequest{});
  EXPECT_EQ(back.version(), second);
  ASSERT_THAT(back.changed(), SizeIs(1));
  EXPECT_EQ(back.changed(0).after(), "4");
  back = ask<v1::ChangeSettingsResponse>("Settings.Undo", v1::UndoSettingsRequest{});
  EXPECT_EQ(back.version(), first);
  const auto none = call("Settings.Undo", v1::UndoSettingsRequest{});
  ASSERT_FALSE(none);
  EXPECT_EQ(none.error().code, ec::not_found);
  EXPECT_EQ(changes().changes(0).cause(), "undo");
  EXPECT_EQ(reload().version(), version_of_file()) << "the file still has the newer ones";
}

TEST_F(settings_reload, changes_are_listed_after_a_restart_and_after_the_store_was_lost) {
  file = "scheduling: {maxNewDecisions: 4}\n";
  reload();
  file = "scheduling: {maxNewDecisions: 5}\n";
  reload();
  const auto known = changes();
  ASSERT_THAT(known.changes(), SizeIs(2));
  const auto& newest = known.changes(0);
  EXPECT_EQ(newest.number(), 3U) << "the first are those of the start";
  EXPECT_EQ(newest.by(), "anonymous");
  EXPECT_EQ(newest.cause(), "reload");
  ASSERT_THAT(newest.changed(), SizeIs(1));
  EXPECT_EQ(newest.changed(0).name(), "scheduling.maxNewDecisions");
  EXPECT_EQ(newest.changed(0).before(), "4");
  EXPECT_EQ(newest.changed(0).after(), "5");
  stop();
  begin();
  EXPECT_EQ(listed(changes()), listed(known));
  crash();
  database = std::make_shared<store::memory_database>();
  begin();
  EXPECT_EQ(listed(changes()), listed(known));
  file = "{}\n";
  reload();
  EXPECT_EQ(changes().changes(0).number(), 4U);
}

TEST_F(settings_reload, only_the_newest_changes_are_kept) {
  for (std::size_t i = 1; i <= model::settings_changes_kept + 3; ++i) {
    file = "scheduling: {maxNewDecisions: " + std::to_string(i) + "}\n";
    reload();
  }
  EXPECT_THAT(changes().changes(), SizeIs(model::settings_changes_kept));
  stop();
  begin();
  const auto kept = changes();
  EXPECT_THAT(kept.changes(), SizeIs(model::settings_changes_kept));
  EXPECT_EQ(kept.changes(0).number(), model::settings_changes_kept + 4);
}

TEST_F(settings_reload, a_start_with_other_settings_is_listed_with_what_changed) {
  ASSERT_THAT(all_changes().changes(), SizeIs(1));
  EXPECT_THAT(all_changes().changes(0).changed(), IsEmpty()) << "nothing was before the first";
  stop();
  begin();
  EXPECT_THAT(all_changes().changes(), SizeIs(1)) << "they are as before";
  const auto before = version_of_file();
  stop();
  file.insert(file.find('}'), ", maxNewDecisions: 4");
  begin();
  const auto all = all_changes();
  ASSERT_THAT(all.changes(), SizeIs(2));
  const auto& start = all.changes(0);
  EXPECT_EQ(start.cause(), "start");
  EXPECT_EQ(start.by(), "argosyd");
  EXPECT_EQ(start.version_before(), before);
  EXPECT_EQ(start.version(), version_of_file());
  ASSERT_THAT(start.changed(), SizeIs(1));
  EXPECT_EQ(start.changed(0).name(), "scheduling.maxNewDecisions");
}

TEST_F(settings_reload, a_signal_does_the_same) {
  file = "scheduling: {maxNewDecisions: 4}\n";
  caf::anon_send(root, atom::settings_v);
  pass(1s);
  ASSERT_THAT(changes().changes(), SizeIs(1));
  EXPECT_EQ(changes().changes(0).by(), "SIGHUP");
  file = "scheduling: {maxNewDecisions: what}\n";
  caf::anon_send(root, atom::settings_v);
  pass(1s);
  EXPECT_THAT(changes().changes(), SizeIs(1));
  EXPECT_THAT(failures, IsEmpty());
}

TEST_F(settings_reload, waits_until_the_cycle_that_is_under_way_has_ended) {
  create_queue("q");
  add_agent("c", {node_of("n", 16)}, "gpu");
  submit("q", {.count = 4});
  for (int i = 1; i <= 20; ++i) {
    file = "scheduling: {maxNewDecisions: " + std::to_string(i) + "}\n";
    reload();
    pass(30ms);
  }
  pass(2s);
  std::map<std::uint64_t, int> versions;
  for (const auto& round : rounds()) ++versions[round.config_version];
  EXPECT_GT(versions[version_of_file()], 0) << "the last one has come to the rounds";
}

}  // namespace argosy::tests
