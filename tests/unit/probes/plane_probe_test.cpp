// SPDX-License-Identifier: Apache-2.0
// Goal: whoever is on call knows before the next loss whether that one needs a person. Method: the
// facts of the planes, and what is said of them.
#include "messages/probes/log/plane_probe.hpp"

#include <gtest/gtest.h>

namespace argosy::probes {

namespace {

std::vector<model::plane> planes(std::size_t count) {
  std::vector<model::plane> out;
  for (std::size_t at = 0; at < count; ++at) out.push_back({std::to_string(at), "other"});
  return out;
}

TEST(plane_probe, says_nothing_while_no_single_loss_needs_a_person) {
  EXPECT_FALSE(warning_of({planes(3), {}}));
  EXPECT_FALSE(warning_of({planes(5), {}}));
}

TEST(plane_probe, names_the_silent_one_and_says_that_one_more_needs_a_person) {
  const auto told = warning_of({planes(3), {{"1", "host-b:/var/lib/argosy"}}});
  ASSERT_TRUE(told);
  EXPECT_FALSE(told->bad) << "everything is accepted";
  EXPECT_NE(told->text.find("'host-b:/var/lib/argosy' is not heard"), std::string::npos);
  EXPECT_NE(told->text.find("a person has to decide"), std::string::npos);
}

TEST(plane_probe, says_that_nothing_is_accepted_without_a_quorum) {
  const auto told = warning_of({planes(3), {{"1", "b:/d"}, {"2", "c:/d"}}});
  ASSERT_TRUE(told);
  EXPECT_TRUE(told->bad);
  EXPECT_NE(told->text.find("'b:/d', 'c:/d' are not heard, so that nothing is accepted"),
            std::string::npos);
}

TEST(plane_probe, says_that_one_alone_loses_what_its_disk_has) {
  const auto told = warning_of({planes(1), {}});
  ASSERT_TRUE(told);
  EXPECT_FALSE(told->bad);
  EXPECT_NE(told->text.find("start two more"), std::string::npos);
}

TEST(plane_probe, has_no_samples_before_anybody_leads) {
  plane_probe probe;
  EXPECT_EQ(probe.facts(), std::nullopt);
  probe.set({planes(3), {{"1", "b:/d"}}});
  ASSERT_TRUE(probe.facts());
  EXPECT_EQ(probe.facts()->silent.size(), 1u);
}

}  // namespace

}  // namespace argosy::probes
