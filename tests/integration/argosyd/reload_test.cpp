// SPDX-License-Identifier: Apache-2.0
// Goal: an operator changes settings of a running argosyd through its file, by the verb and by
// SIGHUP, or through the API, and what is wrong changes nothing. Method: the programs, with a limit
// on how many jobs start that the file lifts later.
#include <gmock/gmock.h>

#include <csignal>

#include "tests/support/process/deployment_fixture.hpp"

namespace argosy::testing {

namespace {

using ::testing::HasSubstr;

class reload : public deployment_fixture {
 protected:
  void write(const std::string& text) { path = world.write("argosyd.yaml", text); }
  outcome config(std::vector<std::string> words) {
    words.insert(words.begin(), "config");
    return world.ctl(std::move(words));
  }

  std::string path;
};

TEST_F(reload, changes_how_many_jobs_start) {
  write("scheduling: {maximumSchedulingBurst: 1, maximumSchedulingRate: 0.0001}\n");
  start_with_queue({"--config", path});
  const auto ids = world.submit({{"true"}, {"true"}});
  ASSERT_EQ(ids.size(), 2U);
  ASSERT_EQ(wait_for(ids[0]), 0);
  ASSERT_TRUE(has_state(ids[1], "QUEUED"));

  write("scheduling: {maximumSchedulingBurst: none}\n");
  auto done = config({"reload"});
  EXPECT_NE(done.code, 0);
  EXPECT_THAT(done.err, HasSubstr("argosyd.yaml:1:38"));
  ASSERT_TRUE(has_state(ids[1], "QUEUED"));

  write("scheduling: {}\n");
  done = config({"reload", "--dry-run"});
  EXPECT_EQ(done.code, 0) << done.err;
  EXPECT_THAT(done.out, HasSubstr("scheduling.maximumSchedulingBurst: 1 -> 0"));
  done = config({"reload"});
  EXPECT_EQ(done.code, 0) << done.err;
  EXPECT_EQ(wait_for(ids[1]), 0);
  done = config({"history"});
  EXPECT_THAT(done.out, HasSubstr("reload"));

  write("scheduling: {maxNewDecisions: 9}\n");
  world.server.signal(SIGHUP);
  EXPECT_TRUE(eventually([&] {
    return config({"history"}).out.find("SIGHUP") != std::string::npos;
  })) << world.log();
  done = config({"undo"});
  EXPECT_EQ(done.code, 0) << done.err;
  EXPECT_THAT(done.out, HasSubstr("scheduling.maxNewDecisions: 9 -> 0"));
  EXPECT_EQ(world.stop(), 0);
}

TEST_F(reload, makes_a_log_file_that_was_renamed_at_once) {
  const auto log = (world.folder() / "its.log").string();
  write("logging: {file: " + log + "}\n");
  start_with_queue({"--config", path});
  std::filesystem::rename(log, log + ".1");
  world.server.signal(SIGHUP);
  EXPECT_TRUE(eventually([&] { return std::filesystem::exists(log); }));
  std::filesystem::remove(log);
  world.server.signal(SIGHUP);
  EXPECT_TRUE(eventually([&] { return std::filesystem::exists(log); }));
  EXPECT_EQ(world.stop(), 0);
  EXPECT_NE(std::filesystem::file_size(log), 0U) << "it goes on in the new file";
}

TEST_F(reload, changes_the_names_by_which_the_endpoint_may_be_called) {
  write("health: {hostNames: [old.example.com]}\n");
  start_with_queue({"--config", path});
  const auto is_called = [&](const std::string& name) {
    launch how;
    how.words = {"/usr/bin/curl",
                 "-s",
                 "-H",
                 "Host: " + name,
                 "--max-time",
                 "10",
                 "-w",
                 "%{http_code}",
                 world.health_url() + "/livez"};
    return run(how, world.folder(), std::chrono::seconds{20}).out == "ok\n200";
  };
  EXPECT_TRUE(is_called("old.example.com"));
  EXPECT_FALSE(is_called("new.example.com"));
  write("health: {hostNames: [new.example.com]}\n");
  world.server.signal(SIGHUP);
  EXPECT_TRUE(eventually([&] { return is_called("new.example.com"); })) << world.log();
  EXPECT_FALSE(is_called("old.example.com"));
  EXPECT_EQ(config({"undo"}).code, 0);
  EXPECT_TRUE(is_called("old.example.com"));
  EXPECT_TRUE(is_called("localhost"));
}

TEST_F(reload, needs_a_file) {
  start();
  const auto done = config({"reload"});
  EXPECT_NE(done.code, 0);
  EXPECT_THAT(done.err, HasSubstr("without --config"));
}

TEST_F(reload, keys_that_were_set_through_the_api_outlive_a_restart) {
  start();
  auto done = world.ctl({"pool", "update", "default", "--disable-gang-away"});
  EXPECT_EQ(done.code, 0) << done.err;
  EXPECT_THAT(done.out, HasSubstr("disableGangAway: (not set) -> true"));
  done = config({"set", "store.jobRetention=2h"});
  EXPECT_EQ(done.code, 0) << done.err;
  done = world.ctl({"pool", "update", "defualt", "--disable-away"});
  EXPECT_EQ(done.code, 3);
  EXPECT_THAT(done.err, HasSubstr("did you mean 'default'?"));
  const auto all = world.ctl({"export"}).out;
  EXPECT_EQ(world.stop(), 0);
  start();
  EXPECT_EQ(world.ctl({"export"}).out, all);
  EXPECT_THAT(all, HasSubstr("kind: Pool\nname: default\ndisableGangAway: true\n"));
  EXPECT_THAT(all, HasSubstr("kind: Settings\nstore:\n  jobRetention: 2h\n"));
  done = config({"undo"});
  EXPECT_THAT(done.out, HasSubstr("store.jobRetention: 2h -> 7d"));
  EXPECT_EQ(world.stop(), 0);
}

}  // namespace

}  // namespace argosy::testing
