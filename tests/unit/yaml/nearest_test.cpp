// SPDX-License-Identifier: Apache-2.0
// Goal: a mistyped key leads to the one that was meant, and nonsense to none.
// Method: distances worked out by hand, and suggestions from a short list.
#include "runtime/settings/yaml/nearest.hpp"

#include <gmock/gmock.h>

namespace argosy::yaml {
namespace {

TEST(nearest, counts_edits_with_swaps_as_one) {
  EXPECT_EQ(edit_distance("queue", "queue"), 0U);
  EXPECT_EQ(edit_distance("queue", "QUEUE"), 0U);
  EXPECT_EQ(edit_distance("qeuue", "queue"), 1U);
  EXPECT_EQ(edit_distance("kitten", "sitting"), 3U);
  EXPECT_EQ(edit_distance("", "abc"), 3U);
}

TEST(nearest, suggests_only_what_is_near) {
  const std::vector<std::string_view> keys{"queue", "jobSetId", "jobs", "priority"};
  EXPECT_EQ(nearest("qeue", keys), "queue");
  EXPECT_EQ(nearest("jobsetid", keys), "jobSetId");
  EXPECT_EQ(nearest("job", keys), "jobs");
  EXPECT_EQ(nearest("namespace", keys), std::nullopt);
  EXPECT_EQ(nearest(std::string(5000, 'q'), keys), std::nullopt);
  EXPECT_EQ(did_you_mean("prioritiy", keys), "; did you mean 'priority'?");
  EXPECT_EQ(did_you_mean("xyz", keys), "");
}

}  // namespace
}  // namespace argosy::yaml
