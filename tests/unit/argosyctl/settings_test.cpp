// SPDX-License-Identifier: Apache-2.0
// Goal: operators set keys of pools and others through the API, with the words of files and of
// people, and read each mistake before anything is sent, or as the server tells it. Method: the
// whole command line against a scripted server.
#include <gmock/gmock.h>

#include "messages/proto/argosy/settings.pb.h"
#include "tests/support/cli/cli_fixture.hpp"

namespace argosy::ctl {

using namespace argosy::v1;
using ::testing::AllOf;
using ::testing::HasSubstr;

class settings_verbs : public cli_fixture {
 protected:
  settings_verbs() {
    ChangeSettingsResponse done;
    done.set_version_before(0xabc);
    done.set_version(0xdef);
    done.set_overrides_changed(true);
    auto* key = done.add_changed();
    key->set_name("scheduling.pools.gpu.disableAway");
    key->set_after("true");
    server->always("Settings.Update", done);
  }
  /// What was asked for: "NAME=VALUE" for each key that is set, "-NAME" for each that is not.
  std::string asked() {
    std::string out;
    const auto request = server->nth<UpdateSettingsRequest>("Settings.Update");
    for (const auto& set : request.set()) out += set.name() + "=" + set.value() + "\n";
    for (const auto& name : request.unset()) out += "-" + name + "\n";
    server->requests.clear();
    return out;
  }
};

TEST_F(settings_verbs, pool_update_sets_the_keys_that_its_flags_name) {
  const auto done = run({"pool", "update", "gpu", "--disable-away"});
  EXPECT_EQ(done.code, exit_code::success) << done.err;
  EXPECT_EQ(done.out,
            "pool/gpu updated\n"
            "  scheduling.pools.gpu.disableAway: (not set) -> true\n");
  const auto request = server->nth<UpdateSettingsRequest>("Settings.Update");
  EXPECT_EQ(request.set(0).where(), "--disable-away");
  EXPECT_FALSE(request.new_pools());
  EXPECT_EQ(request.expected_change(), 0U);
  EXPECT_EQ(run({"pool", "update", "gpu", "--disable-away", "-o", "name"}).out, "pool/gpu\n");
}

TEST_F(settings_verbs, pool_update_takes_lists_as_people_write_them) {
  run({"pool", "update", "gpu", "--away-pools", "a,b", "--disable-gang-away=false",
       "--maximum-resource-fraction-to-schedule", "cpu=0.5,memory=0.25",
       "--protected-fraction-of-fair-share", "0.5", "--unscheduled-resources", "[cpu]",
       "--tolerations", "[{key: gpu, operator: Exists}]"});
  EXPECT_THAT(asked(),
              AllOf(HasSubstr("gpu.awayPools=[a,b]\n"), HasSubstr("gpu.disableGangAway=false\n"),
                    HasSubstr("gpu.maximumResourceFractionToSchedule={cpu: 0.5,memory: 0.25}\n"),
                    HasSubstr("gpu.protectedFractionOfFairShare=0.5\n"),
                    HasSubstr("gpu.unscheduledResources=[cpu]\n"),
                    HasSubstr("gpu.tolerations=[{key: gpu, operator: Exists}]\n")));
  run({"pool", "update", "gpu", "--away-pools", "", "--disable-away=null"});
  EXPECT_THAT(asked(), AllOf(HasSubstr("awayPools=[]\n"), HasSubstr("disableAway=null\n")));
}

TEST_F(settings_verbs, pool_update_gives_keys_back_to_the_file) {
  run({"pool", "update", "gpu", "--unset", "disableAway,away-pools", "--new"});
  EXPECT_TRUE(server->nth<UpdateSettingsRequest>("Settings.Update").new_pools());
  EXPECT_EQ(asked(), "-scheduling.pools.gpu.disableAway\n-scheduling.pools.gpu.awayPools\n");
  run({"pool", "update", "gpu", "--unset-all", "--dry-run"});
  EXPECT_TRUE(server->nth<UpdateSettingsRequest>("Settings.Update").dry_run());
  EXPECT_EQ(asked(), "-scheduling.pools.gpu\n");
}

TEST_F(settings_verbs, pool_update_tells_all_mistakes_and_sends_nothing) {
  auto done = run({"pool", "update", "GPU", "--disable-away=maybe", "--unset", "disableAwy",
                   "--protected-fraction-of-fair-share", "-1"});
  EXPECT_EQ(done.code, exit_code::usage);
  EXPECT_THAT(done.err, AllOf(HasSubstr("error: argument POOL: name: must be"),
                              HasSubstr("error: --disable-away: disableAway: 'maybe' is not"),
                              HasSubstr("error: --protected-fraction-of-fair-share: "),
                              HasSubstr("error: --unset: pools have no key 'disableAwy'")));
  done = run({"pool", "update", "gpu"});
  EXPECT_EQ(done.code, exit_code::usage);
  EXPECT_THAT(done.err, HasSubstr("name what of pool 'gpu' is to change"));
  EXPECT_EQ(server->calls("Settings.Update"), 0u);
}

TEST_F(settings_verbs, each_mistake_that_the_server_finds_is_a_line) {
  server->refuse("Settings.Update",
                 {ec::invalid_argument, "config set: a: wrong\nconfig set: b: too"});
  const auto done = run({"config", "set", "a=1", "b=2"});
  EXPECT_EQ(done.code, exit_code::usage);
  EXPECT_EQ(done.err, "error: config set: a: wrong\nerror: config set: b: too\n");
}

TEST_F(settings_verbs, config_set_and_unset_name_any_key) {
  auto done = run({"config", "set", "scheduling.nodeOrder=[noPreemption, bestFit]", "store.x=a=b"});
  EXPECT_THAT(done.out, HasSubstr("settings changed from version 0000000000000abc to"));
  EXPECT_EQ(asked(), "scheduling.nodeOrder=[noPreemption, bestFit]\nstore.x=a=b\n");
  run({"config", "unset", "scheduling.nodeOrder", "store"});
  EXPECT_EQ(asked(), "-scheduling.nodeOrder\n-store\n");
  run({"config", "unset", "--all"});
  EXPECT_EQ(asked(), "-scheduling\n-store\n");
  EXPECT_EQ(run({"config", "unset"}).code, exit_code::usage);
  EXPECT_EQ(run({"config", "unset", "a", "--all"}).code, exit_code::usage);
  EXPECT_EQ(run({"config", "set", "scheduling.nodeOrder"}).code, exit_code::usage);
  EXPECT_EQ(server->calls("Settings.Update"), 0u);
}

TEST_F(settings_verbs, an_override_of_the_value_that_the_file_has_is_told) {
  ChangeSettingsResponse done;
  done.set_overrides_changed(true);
  server->always("Settings.Update", done);
  EXPECT_THAT(run({"config", "set", "a=1"}).out, HasSubstr("each value is as before"));
}

TEST_F(settings_verbs, reload_says_which_keys_the_api_decides) {
  ChangeSettingsResponse done;
  auto* key = done.add_overridden();
  key->set_name("scheduling.maxNewDecisions");
  key->set_before("5");
  key->set_after("7");
  server->always("Settings.Reload", done);
  EXPECT_THAT(run({"config", "reload"}).out,
              HasSubstr("  scheduling.maxNewDecisions: the file says 5, but 7 was set through the "
                        "API and counts; to go by the file: argosyctl config unset "
                        "scheduling.maxNewDecisions\n"));
}

TEST_F(settings_verbs, settings_are_listed_with_who_says_them) {
  GetSettingsResponse all;
  auto* setting = all.add_settings();
  setting->set_name("scheduling.maxNewDecisions");
  setting->set_value("7");
  setting->set_file_value("0");
  setting->set_overridden(true);
  setting = all.add_settings();
  setting->set_name("store.jobRetention");
  setting->set_value("7d");
  setting->set_file_value("7d");
  server->always("Settings.Get", all);
  const auto done = run({"config", "settings", "-o", "wide"});
  EXPECT_EQ(done.code, exit_code::success) << done.err;
  EXPECT_THAT(done.out, AllOf(HasSubstr("scheduling.maxNewDecisions  7      API     0"),
                              HasSubstr("store.jobRetention          7d     file    7d")));
  EXPECT_EQ(run({"config", "settings", "--api", "-o", "name"}).out,
            "setting/scheduling.maxNewDecisions\n");
}

}  // namespace argosy::ctl
