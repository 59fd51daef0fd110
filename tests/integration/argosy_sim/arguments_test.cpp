// SPDX-License-Identifier: Apache-2.0
// Goal: argosy-sim refuses numbers that no round can take instead of reading others from them, and
// says when its output is lost.
// Method: the program itself on the smallest world.
#include <gmock/gmock.h>

#include <fstream>

#include "tests/support/process/child.hpp"
#include "tests/support/temp_folder.hpp"

namespace argosy::testing {

namespace {

TEST(sim_arguments, numbers_have_ranges) {
  const temp_folder folder;
  const auto file = folder.path() / "w.snap";
  std::ofstream{file} << "N 0 n e 4000 1000 0 - -\nQ a 1\n";
  const auto sim = [&](const std::string& flag, const std::string& value) {
    return run({{std::string(ARGOSY_BIN_DIR) + "/argosy-sim", "round", file, flag, value}, {}},
               folder.path(), std::chrono::seconds{60});
  };
  for (const auto& [flag, value] :
       std::vector<std::pair<std::string, std::string>>{{"--lookback", "-1"},
                                                        {"--lookback", "18446744073709551616"},
                                                        {"--lookback", "4294967296"},
                                                        {"--repeat", "0"},
                                                        {"--repeat", "-1"}}) {
    const auto done = sim(flag, value);
    EXPECT_EQ(done.code, 2) << flag << ' ' << value;
    EXPECT_EQ(done.out, "");
    EXPECT_THAT(done.err, ::testing::HasSubstr(flag));
  }
  EXPECT_EQ(sim("--lookback", "0").code, 0);
  EXPECT_EQ(sim("--repeat", "2").code, 0);
}

TEST(sim_arguments, help_that_cannot_be_printed_is_an_error) {
  const temp_folder folder;
  const auto line = std::string(ARGOSY_BIN_DIR) + "/argosy-sim --help >/dev/full";
  const auto done = run({{"/bin/sh", "-c", line}, {}}, folder.path(), std::chrono::seconds{60});
  EXPECT_EQ(done.code, 1);
  EXPECT_THAT(done.err, ::testing::HasSubstr("cannot write to stdout: "));
}

}  // namespace

}  // namespace argosy::testing
