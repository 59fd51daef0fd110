// SPDX-License-Identifier: Apache-2.0
// Goal: a program waits for the lock of a predecessor that is ending, and not for ever. Method: the
// predecessor is this test, which lets go in a pause or never.
#include "bins/shared/data_dir.hpp"

#include <gtest/gtest.h>

#include <optional>

#include "tests/support/temp_folder.hpp"

namespace argosy {
namespace {

TEST(data_dir_of_a_program, is_taken_when_the_predecessor_lets_go) {
  const testing::temp_folder folder;
  auto held = store::data_dir::open(folder.path() / "data");
  ASSERT_TRUE(held) << held.error().detail;
  std::optional predecessor{std::move(*held)};
  int pauses = 0;
  const auto opened = open_data_dir(folder.path() / "data", [&] {
    if (++pauses == 3) predecessor.reset();
  });
  ASSERT_TRUE(opened) << opened.error().detail;
  EXPECT_EQ(pauses, 3);
}

TEST(data_dir_of_a_program, is_refused_when_the_predecessor_stays) {
  const testing::temp_folder folder;
  const auto held = store::data_dir::open(folder.path() / "data");
  ASSERT_TRUE(held) << held.error().detail;
  int pauses = 0;
  const auto opened = open_data_dir(folder.path() / "data", [&] { ++pauses; });
  ASSERT_FALSE(opened);
  EXPECT_EQ(opened.error().code, ec::conflict);
  EXPECT_EQ(pauses, 19);
}

TEST(data_dir_of_a_program, is_refused_at_once_for_another_reason) {
  const auto opened = open_data_dir("", [] { FAIL() << "nothing would change"; });
  ASSERT_FALSE(opened);
  EXPECT_EQ(opened.error().code, ec::invalid_argument);
}

}  // namespace
}  // namespace argosy
