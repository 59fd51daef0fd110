// SPDX-License-Identifier: Apache-2.0
// Goal: levels, components, formats and the rate limit act as set up, at run time too.
// Method: lines go to a file of the test and are read back.
#include "runtime/logging/logger.hpp"

#include <gmock/gmock.h>

#include <chrono>
#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>
#include <vector>

#include "runtime/base/clock.hpp"
#include "runtime/logging/rate_limit.hpp"
#include "runtime/trace/context.hpp"
#include "tests/support/temp_folder.hpp"

namespace argosy::logging {
namespace {

using namespace std::chrono_literals;
using ::testing::HasSubstr;
using ::testing::SizeIs;

class logger_test : public ::testing::Test {
 protected:
  void SetUp() override { wanted.file = folder / "log"; }
  void TearDown() override { ASSERT_TRUE(setup({})); }
  std::vector<std::string> lines() const {
    std::ifstream in{wanted.file};
    std::vector<std::string> all;
    for (std::string text; std::getline(in, text);) all.push_back(text);
    return all;
  }
  argosy::testing::temp_folder temp;
  std::filesystem::path folder = temp.path();
  options wanted;
};

TEST_F(logger_test, writes_json_lines_to_a_file_with_trace_and_source) {
  ASSERT_TRUE(setup(wanted));
  const logger log{"test"};
  const auto root = trace::new_root();
  {
    const trace::scope cause{root};
    log.info("hello", kv("n", 1));
  }
  log.debug("not shown");
  ASSERT_THAT(lines(), SizeIs(1));
  const auto read = nlohmann::json::parse(lines()[0]);
  EXPECT_EQ(read["trace_id"], trace::to_string(root.trace));
  EXPECT_THAT(read["src"].get<std::string>(), HasSubstr("logger_test.cpp:"));
}

TEST_F(logger_test, takes_levels_by_component_at_run_time) {
  const logger noisy{"noisy"};
  const logger other{"other"};
  wanted.components["noisy"] = level::debug;
  wanted.minimum = level::error;
  ASSERT_TRUE(setup(wanted));
  EXPECT_TRUE(noisy.enabled(level::debug));
  EXPECT_FALSE(other.enabled(level::warning));
  EXPECT_TRUE(logger{"noisy"}.enabled(level::debug));
  wanted.components.clear();
  ASSERT_TRUE(setup(wanted));
  EXPECT_FALSE(noisy.enabled(level::debug));
}

TEST_F(logger_test, off_silences_errors) {
  wanted.minimum = level::off;
  ASSERT_TRUE(setup(wanted));
  logger{"test"}.error("lost");
  EXPECT_THAT(lines(), SizeIs(0));
}

TEST_F(logger_test, limits_the_lines_of_a_call_site) {
  wanted.lines_per_second = 5;
  ASSERT_TRUE(setup(wanted));
  const logger log{"test"};
  for (int i = 0; i < 50; ++i) log.info("flood");
  log.info("elsewhere");
  // A slow machine may pass from one second to the next meanwhile, which admits five more.
  EXPECT_LE(lines().size(), 11U);
  EXPECT_THAT(lines().back(), HasSubstr("elsewhere"));
}

TEST_F(logger_test, refuses_a_file_that_cannot_be_opened) {
  options bad;
  bad.file = folder.string();
  const auto done = setup(bad);
  ASSERT_FALSE(done);
  EXPECT_THAT(done.error().detail, HasSubstr("cannot write the log"));
}

TEST(rate_limit, counts_what_it_refuses_and_starts_anew_each_second) {
  rate_limit limit;
  const int site = 0;
  EXPECT_EQ(limit.admit(&site, 1, 0s, 2), 0U);
  EXPECT_EQ(limit.admit(&site, 1, 100ms, 2), 0U);
  EXPECT_EQ(limit.admit(&site, 1, 200ms, 2), std::nullopt);
  EXPECT_EQ(limit.admit(&site, 1, 999ms, 2), std::nullopt);
  EXPECT_EQ(limit.admit(&site, 2, 999ms, 2), 0U);
  EXPECT_EQ(limit.admit(&site, 1, 1000ms, 2), 2U);
  EXPECT_EQ(limit.admit(&site, 1, 1001ms, 0), 0U);
}

TEST(log_names, parse_and_list_the_choices) {
  EXPECT_EQ(*parse_level("warning"), level::warning);
  EXPECT_EQ(*parse_line_format("json"), line_format::json);
  EXPECT_EQ(parse_level("loud").error().detail,
            "'loud' is not a log level; it is one of trace, debug, info, warning, error, off");
}

TEST(system_clock, reads_both_clocks_of_the_machine) {
  const auto& clock = system_clock_source();
  const auto before = clock.boot();
  EXPECT_GT(before.count(), 0);
  EXPECT_GE(clock.boot(), before);
  EXPECT_LT(std::chrono::abs(clock.wall() - std::chrono::system_clock::now()), 10s);
}

}  // namespace
}  // namespace argosy::logging
