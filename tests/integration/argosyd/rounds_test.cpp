// SPDX-License-Identifier: Apache-2.0
// Goal: the scheduling section reaches the rounds of a real argosyd: values that cannot be combined
// are named before anything starts, limits hold, rounds are counted, and jobs run under every
// preset. Method: argosyd --dev with files.
#include "tests/support/process/deployment_fixture.hpp"

namespace argosy::testing {

namespace {

class scheduling_section : public deployment_fixture {};

TEST_F(scheduling_section, that_cannot_be_carried_out_is_refused_with_its_key) {
  const std::vector<std::pair<std::string, std::string>> mistakes{
      {"nodeOrder: [bestFit]", "scheduling.nodeOrder: noPreemption must come first"},
      {"maximumSchedulingRate: 2.0", "maximumSchedulingRate needs maximumSchedulingBurst"},
      {"urgencyVictims: preemptibleStrictlyBelow", "it needs return: all"}};
  for (const auto& [line, cure] : mistakes) {
    const auto file = world.write("bad.yaml", "scheduling:\n  " + line + "\n");
    for (const auto& words : std::vector<std::vector<std::string>>{
             {"argosyd", "config", "check", "--config", file},
             {"argosyd", "config", "print", "--config", file},
             {"argosyd", "--dev", "--config", file, "--data-dir", world.data_dir().string()}}) {
      const auto got = world.program(words);
      EXPECT_EQ(got.code, 2) << line;
      EXPECT_NE(got.err.find(cure), std::string::npos) << got.err;
      EXPECT_EQ(got.out, "") << line;
    }
    EXPECT_FALSE(std::filesystem::exists(world.data_dir())) << line;
  }
}

TEST_F(scheduling_section, limits_how_fast_jobs_start) {
  const auto file = world.write("slow.yaml",
                                "scheduling:\n  maximumSchedulingRate: 0.01\n"
                                "  maximumSchedulingBurst: 2\n");
  start_with_queue({"--config", file});
  const auto ids = world.submit({{"sleep 60"}, {"sleep 60"}, {"sleep 60"}});
  ASSERT_EQ(ids.size(), 3u);
  EXPECT_EQ(wait_for(ids[0], "running"), 0);
  EXPECT_EQ(wait_for(ids[1], "running"), 0);
  EXPECT_TRUE(has_state(ids[2], "QUEUED")) << world.job(ids[2]);
  const auto why = world.ctl({"describe", "job", ids[2]});
  EXPECT_NE(why.out.find("maximumSchedulingRate is used up for now"), std::string::npos) << why.out;
  launch how;
  how.words = {"/usr/bin/curl", "-sS", "--max-time", "10", world.health_url() + "/metrics"};
  const auto metrics = run(how, world.folder(), std::chrono::seconds{20}).out;
  EXPECT_NE(metrics.find("argosy_rounds_total{result=\"violation\"} 0"), std::string::npos);
  EXPECT_NE(metrics.find("argosy_rounds_total{result=\"failed\"} 0"), std::string::npos);
  EXPECT_NE(metrics.find("argosy_round_leases_total 2"), std::string::npos) << metrics;
}

class every_preset : public scheduling_section,
                     public ::testing::WithParamInterface<const char*> {};

TEST_P(every_preset, runs_jobs) {
  const std::string name = GetParam();
  const auto file = world.write("preset.yaml", "scheduling:\n  preset: " + name + "\n");
  start_with_queue({"--config", file});
  const auto version = world.ctl({"version", "-o", "json"});
  EXPECT_NE(version.out.find(name), std::string::npos) << version.out;
  const auto ids = world.submit({{witness("ran")}, {witness("ran")}});
  ASSERT_EQ(ids.size(), 2u);
  for (const auto& id : ids) EXPECT_EQ(wait_for(id), 0) << world.job(id);
  EXPECT_EQ(witnessed("ran").size(), 2u);
}

INSTANTIATE_TEST_SUITE_P(each, every_preset,
                         ::testing::Values("argosy", "current", "unified", "classic", "lottery"),
                         [](const auto& each) { return std::string{each.param}; });

}  // namespace

}  // namespace argosy::testing
