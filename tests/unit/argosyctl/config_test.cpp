// SPDX-License-Identifier: Apache-2.0
// Goal: operators change the settings of a running server, see beforehand what would change, read
// why nothing did, and find the changes again. Method: the whole command line against a scripted
// server.
#include <gmock/gmock.h>

#include "messages/proto/argosy/settings.pb.h"
#include "tests/support/cli/cli_fixture.hpp"

namespace argosy::ctl {

using namespace argosy::v1;
using ::testing::HasSubstr;

class config_verb : public cli_fixture {
 protected:
  static void fill(auto& out) {
    out.set_version_before(0xabc);
    out.set_version(0x123456789abcdef0);
    auto* key = out.add_changed();
    key->set_name("scheduling.maxNewDecisions");
    key->set_before("0");
    key->set_after("7");
    key = out.add_changed();
    key->set_name("scheduling.pools.gpu.disableAway");
    key->set_after("true");
  }
  static ChangeSettingsResponse changed(bool dry_run = false) {
    ChangeSettingsResponse out;
    fill(out);
    out.set_dry_run(dry_run);
    return out;
  }
};

TEST_F(config_verb, reload_prints_what_changed) {
  server->always("Settings.Reload", changed());
  const auto done = run({"config", "reload"});
  EXPECT_EQ(done.code, exit_code::success) << done.err;
  EXPECT_EQ(done.out,
            "settings changed from version 0000000000000abc to 123456789abcdef0\n"
            "  scheduling.maxNewDecisions: 0 -> 7\n"
            "  scheduling.pools.gpu.disableAway: (not set) -> true\n");
  EXPECT_FALSE(server->nth<ReloadSettingsRequest>("Settings.Reload").dry_run());
}

TEST_F(config_verb, dry_run_says_what_would_change) {
  server->always("Settings.Reload", changed(true));
  server->always("Settings.Undo", changed(true));
  auto done = run({"config", "reload", "--dry-run"});
  EXPECT_THAT(done.out, HasSubstr("settings would change from version"));
  EXPECT_TRUE(server->nth<ReloadSettingsRequest>("Settings.Reload").dry_run());
  done = run({"config", "undo", "--dry-run"});
  EXPECT_THAT(done.out, HasSubstr("settings would change from version"));
  EXPECT_TRUE(server->nth<UndoSettingsRequest>("Settings.Undo").dry_run());
}

TEST_F(config_verb, says_that_nothing_changes) {
  ChangeSettingsResponse same;
  same.set_version(0xabc);
  same.set_version_before(0xabc);
  server->always("Settings.Reload", same);
  EXPECT_EQ(run({"config", "reload"}).out,
            "nothing changes: the settings are those that run, version 0000000000000abc\n");
}

TEST_F(config_verb, prints_json_for_scripts) {
  server->always("Settings.Reload", changed());
  const auto done = run({"config", "reload", "-o", "json"});
  EXPECT_THAT(done.out, HasSubstr("\"name\":\"scheduling.maxNewDecisions\""));
}

TEST_F(config_verb, shows_why_the_server_refuses) {
  server->refuse("Settings.Reload",
                 {ec::invalid_argument, "argosyd.yaml:3:11: scheduling.maxNewDecisions must be"});
  auto done = run({"config", "reload"});
  EXPECT_EQ(done.code, exit_code::usage);
  EXPECT_THAT(done.err, HasSubstr("argosyd.yaml:3:11"));
  server->refuse("Settings.Undo", {ec::not_found, "there is nothing to take back"});
  done = run({"config", "undo"});
  EXPECT_NE(done.code, exit_code::success);
  EXPECT_THAT(done.err, HasSubstr("there is nothing to take back"));
}

TEST_F(config_verb, undo_prints_what_changed_and_its_help_warns_of_the_file) {
  server->always("Settings.Undo", changed());
  EXPECT_THAT(run({"config", "undo"}).out, HasSubstr("scheduling.maxNewDecisions: 0 -> 7"));
  EXPECT_THAT(run({"config", "undo", "--help"}).out, HasSubstr("configuration file still has"));
}

TEST_F(config_verb, history_is_a_table) {
  ListSettingsChangesResponse all;
  auto& change = *all.add_changes();
  fill(change);
  change.set_number(1);
  change.set_time_ns(1'700'000'000'000'000'000);
  change.set_by("ann");
  change.set_cause("reload");
  server->always("Settings.ListChanges", all);
  auto done = run({"config", "history", "-o", "wide"});
  EXPECT_EQ(done.code, exit_code::success) << done.err;
  EXPECT_THAT(done.out, HasSubstr("2023-11-14T22:13:20.000Z  ann   reload  123456789abcdef0"));
  EXPECT_THAT(done.out, HasSubstr("scheduling.maxNewDecisions: 0 -> 7; "));
  done = run({"config", "history", "-o", "name"});
  EXPECT_EQ(done.out, "settings-change/1\n");
}

}  // namespace argosy::ctl
