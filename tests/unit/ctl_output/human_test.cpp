// SPDX-License-Identifier: Apache-2.0
// Goal: numbers read well and durations are parsed strictly. Method: tables of values.
#include "bins/argosyctl/output/human.hpp"

#include <gtest/gtest.h>

#include "bins/argosyctl/output/exit_code.hpp"
#include "bins/argosyctl/output/progress.hpp"

namespace argosy::ctl {

using namespace std::chrono_literals;

TEST(human, durations) {
  EXPECT_EQ(human_duration(0s), "0s");
  EXPECT_EQ(human_duration(-5s), "0s");
  EXPECT_EQ(human_duration(119s), "119s");
  EXPECT_EQ(human_duration(192s), "3m12s");
  EXPECT_EQ(human_duration(180s), "3m");
  EXPECT_EQ(human_duration(95min), "95m");
  EXPECT_EQ(human_duration(200min), "3h20m");
  EXPECT_EQ(human_duration(30h), "30h");
  EXPECT_EQ(human_duration(121h), "5d");
  EXPECT_EQ(human_age(0, 5), "-");
}

TEST(human, times) {
  EXPECT_EQ(utc_time(1'700'000'000'123'000'000), "2023-11-14T22:13:20.123Z");
  EXPECT_EQ(utc_time(0), "-");
  EXPECT_EQ(utc_clock(1'700'000'000'007'000'000), "22:13:20.007");
}

TEST(human, amounts) {
  EXPECT_EQ(human_amount("cpu", 1500), "1.5");
  EXPECT_EQ(human_amount("cpu", 2000), "2");
  EXPECT_EQ(human_amount("cpu", 150), "0.15");
  EXPECT_EQ(human_amount("cpu", 1), "0.001");
  EXPECT_EQ(human_amount("cpu", 0), "0");
  EXPECT_EQ(human_amount("memory", 64 << 20), "64Mi");
  EXPECT_EQ(human_amount("ephemeral-storage", 1536), "1.5Ki");
  EXPECT_EQ(human_amount("nvidia.com/gpu", 8), "8");
  EXPECT_EQ(human_bytes(std::int64_t{1} << 40), "1Ti");
  EXPECT_EQ(human_share(0.314), "31.4%");
  EXPECT_EQ(human_share(4'500.2), "450020%");
}

TEST(progress_bar, tells_success_failure_and_what_runs_apart) {
  const auto bar = [](std::size_t succeeded, std::size_t failed, std::size_t running,
                      std::size_t all) {
    return progress_bar({succeeded, failed, running, all}, 4);
  };
  EXPECT_EQ(bar(0, 0, 0, 10), "[....]");
  EXPECT_EQ(bar(9, 0, 0, 10), "[###.]");
  EXPECT_EQ(bar(10, 0, 0, 10), "[####]");
  EXPECT_EQ(bar(0, 10, 0, 10), "[xxxx]") << "a cancelled set is no success";
  EXPECT_EQ(bar(5, 5, 0, 10), "[##xx]");
  EXPECT_EQ(bar(3, 3, 2, 8), "[##x>]");
  EXPECT_EQ(bar(0, 0, 10, 10), "[>>>>]");
  EXPECT_EQ(bar(0, 0, 0, 0), "[....]");
}

TEST(progress_bar, shows_one_failure_among_very_many) {
  EXPECT_EQ(progress_bar({19'999, 1, 0, 20'000}, 4), "[###x]");
  EXPECT_EQ(progress_bar({0, 1, 0, 20'000}, 4), "[x...]");
}

TEST(exit_codes, follow_from_errors) {
  const std::vector<std::pair<ec, int>> expected{
      {ec::invalid_argument, 2}, {ec::too_large, 2}, {ec::not_found, 3},   {ec::denied, 4},
      {ec::unreachable, 5},      {ec::timeout, 5},   {ec::unavailable, 5}, {ec::no_responders, 5},
      {ec::already_exists, 6},   {ec::conflict, 6},  {ec::overloaded, 1},  {ec::out_of_space, 1},
      {ec::internal, 1},         {ec::corrupt, 1}};
  for (const auto& [code, number] : expected)
    EXPECT_EQ(static_cast<int>(exit_code_of(error{code, ""})), number) << to_string(code);
  EXPECT_EQ(exit_code_of(error{ec::denied, "could not find queue \"x\""}), exit_code::not_found);
}

TEST(exit_codes, follow_from_states) {
  EXPECT_EQ(static_cast<int>(exit_code_of(api::JobState::SUCCEEDED)), 0);
  EXPECT_EQ(static_cast<int>(exit_code_of(api::JobState::FAILED)), 10);
  EXPECT_EQ(static_cast<int>(exit_code_of(api::JobState::CANCELLED)), 11);
  EXPECT_EQ(static_cast<int>(exit_code_of(api::JobState::PREEMPTED)), 12);
  EXPECT_EQ(static_cast<int>(exit_code_of(api::JobState::REJECTED)), 13);
}

}  // namespace argosy::ctl
