// SPDX-License-Identifier: Apache-2.0
// Goal: an operator changes the scheduling settings of a running argosyd through its file, by the
// verb and by SIGHUP, and a file that is wrong changes nothing. Method: the programs, with a limit
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

TEST_F(reload, needs_a_file) {
  start();
  const auto done = config({"reload"});
  EXPECT_NE(done.code, 0);
  EXPECT_THAT(done.err, HasSubstr("without --config"));
}

}  // namespace

}  // namespace argosy::testing
