// SPDX-License-Identifier: Apache-2.0
// Goal: a mistyped word leads to the one that was meant, and nonsense to none.
// Method: distances worked out by hand, and suggestions from short lists.
#include "runtime/base/suggest.hpp"

#include <gtest/gtest.h>

namespace argosy {
namespace {

using words = std::vector<std::string>;

TEST(edit_distance, counts_edits_with_swaps_as_one) {
  EXPECT_EQ(edit_distance("queue", "queue"), 0U);
  EXPECT_EQ(edit_distance("queue", "QUEUE"), 0U);
  EXPECT_EQ(edit_distance("qeuue", "queue"), 1U);
  EXPECT_EQ(edit_distance("kitten", "sitting"), 3U);
  EXPECT_EQ(edit_distance("", "abc"), 3U);
  EXPECT_EQ(edit_distance("abc", ""), 3U);
}

TEST(suggestions, are_close_but_not_wild) {
  EXPECT_EQ(closest("submti", words{"submit", "wait"}), "submit");
  EXPECT_EQ(closest("xyz", words{"submit", "wait"}), std::nullopt);
  EXPECT_EQ(closest("", words{"a"}), std::nullopt);
  const std::vector<std::string_view> keys{"queue", "jobSetId", "jobs", "priority"};
  EXPECT_EQ(closest("qeue", keys), "queue");
  EXPECT_EQ(closest("job", keys), "jobs");
  EXPECT_EQ(closest("namespace", keys), std::nullopt);
}

TEST(suggestions, complete_what_was_begun_in_any_case) {
  EXPECT_EQ(closest("desc", words{"describe", "delete"}), "describe");
  EXPECT_EQ(closest("jobsetid", words{"jobSetId"}), "jobSetId");
  EXPECT_EQ(closest("PRIO", words{"priority"}), "priority");
}

TEST(suggestions, cost_nothing_for_hostile_words) {
  EXPECT_EQ(closest(std::string(5'000, 'a'), words{"submit"}), std::nullopt);
  EXPECT_EQ(closest("aaa", words{std::string(5'000, 'a')}), std::nullopt);
}

TEST(suggestions, are_asked_as_a_question) {
  EXPECT_EQ(did_you_mean("prioritiy", words{"priority"}), "; did you mean 'priority'?");
  EXPECT_EQ(did_you_mean("xyz", words{"priority"}), "");
}

}  // namespace
}  // namespace argosy
