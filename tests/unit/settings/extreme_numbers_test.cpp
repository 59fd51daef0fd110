// SPDX-License-Identifier: Apache-2.0
// Goal: no setting takes a number that it does not keep: extreme numbers and times are refused with
// the name of the key, or read back as they were written. Method: every key of argosyd and of the
// agent is given each of them.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <array>
#include <set>
#include <string>
#include <string_view>

#include "runtime/settings/agent_settings.hpp"
#include "runtime/settings/argosyd_settings.hpp"
#include "runtime/settings/field_table.hpp"

namespace argosy::settings {
namespace {

using ::testing::HasSubstr;

constexpr std::array<std::string_view, 26> extremes{"-1",
                                                    "0",
                                                    "4294967295",
                                                    "4294967296",
                                                    "2147483648",
                                                    "-2147483649",
                                                    "9223372036854775807",
                                                    "9223372036854775808",
                                                    "-9223372036854775808",
                                                    "18446744073709551616",
                                                    "1e300",
                                                    "-1e300",
                                                    "1e400",
                                                    ".nan",
                                                    ".inf",
                                                    "nan",
                                                    "inf",
                                                    "0s",
                                                    "-1s",
                                                    "1ms",
                                                    "36500d",
                                                    "36700d",
                                                    "9223372036854775807ms",
                                                    "16777216Ti",
                                                    "9223372036854775807",
                                                    "{cpu: 9223372036854775807}"};

template <class Settings>
void give_each_key_extremes() {
  Settings settings;
  field_table table;
  describe(table, settings);
  for (const auto path : table.paths()) {
    auto& bound = *table.find(path)->bound;
    if (bound.takes_raw_text()) continue;
    const auto usual = bound.print();
    for (const auto text : extremes) {
      problem_list problems;
      ASSERT_TRUE(table.set(path, text, "test", problems)) << path;
      const auto kept = bound.print();
      if (problems.empty()) {
        EXPECT_TRUE(table.set(path, kept, "test", problems));
        EXPECT_TRUE(problems.empty()) << path << ": " << text << " is kept as " << kept;
        EXPECT_EQ(bound.print(), kept) << path << ": " << text;
      } else {
        EXPECT_THAT(problems.front(), HasSubstr(std::string{path})) << text;
        EXPECT_EQ(kept, usual) << path << ": " << text << " is refused and half applied";
      }
      problems.clear();
      ASSERT_TRUE(table.set(path, usual, "test", problems));
      ASSERT_TRUE(problems.empty()) << path << ": " << usual << ": " << problems.front();
    }
  }
}

/// The keys that take a hundred years.
template <class Settings>
std::set<std::string> keys_without_an_end() {
  std::set<std::string> out;
  Settings settings;
  field_table table;
  describe(table, settings);
  for (const auto path : table.paths()) {
    auto& bound = *table.find(path)->bound;
    problem_list problems;
    if (bound.takes_raw_text()) continue;
    table.set(path, "36500d", "test", problems);
    if (problems.empty() && bound.print() == "36500d") out.emplace(path);
  }
  return out;
}

/// A period that never ends switches off what it is for, and nothing says so. Those of scheduling
/// say how usage counts.
TEST(extreme_numbers, of_times_are_refused_but_where_something_is_kept_or_runs_for_so_long) {
  EXPECT_THAT(keys_without_an_end<argosyd_settings>(),
              ::testing::ElementsAre(
                  "api.clientIdRetention", "api.defaultActiveDeadline", "audit.retention",
                  "journal.generationAge", "scheduling.shortJobPenaltyCutoff",
                  "scheduling.usagePriority.halftime", "store.eventRetention", "store.jobRetention",
                  "store.jobRetentionByState.cancelled", "store.jobRetentionByState.failed",
                  "store.jobRetentionByState.preempted", "store.jobRetentionByState.rejected",
                  "store.jobRetentionByState.succeeded"));
  EXPECT_THAT(keys_without_an_end<agent_settings>(),
              ::testing::ElementsAre("simulated.runTime", "simulated.startDelay"));
}

TEST(extreme_numbers, are_refused_by_name_or_kept_in_settings_of_argosyd) {
  give_each_key_extremes<argosyd_settings>();
}

TEST(extreme_numbers, are_refused_by_name_or_kept_in_settings_of_agents) {
  give_each_key_extremes<agent_settings>();
}

}  // namespace
}  // namespace argosy::settings
