// SPDX-License-Identifier: Apache-2.0
// Goal: a place belongs to a history exactly if both have the same records up to it. Method:
// tables, and random histories that fork at random places, with the records themselves as the
// oracle.
#include "runtime/model/lineage.hpp"

#include <gtest/gtest.h>

#include <random>
#include <vector>

namespace argosy::model {
namespace {

TEST(lineages, know_under_which_claim_a_position_was_written) {
  const lineage all{{{{3}, 30}, {{7}, 70}}};
  EXPECT_EQ(all.place_at({2}), (log_place{{2}, 0})) << "before all that is known";
  EXPECT_EQ(all.place_at({3}), (log_place{{3}, 30}));
  EXPECT_EQ(all.place_at({6}), (log_place{{6}, 30}));
  EXPECT_EQ(all.place_at({7}), (log_place{{7}, 70}));
  EXPECT_EQ(all.place_at({700}), (log_place{{700}, 70}));
}

TEST(lineages, go_on_with_further_claims) {
  lineage all;
  EXPECT_TRUE(all.has({{5}, 0})) << "of a store that has noted no claims";
  all.add({{6}, 60});
  EXPECT_TRUE(all.has({{5}, 0}));
  EXPECT_FALSE(all.has({{6}, 0}));
  const auto before = all.place_at({9});
  all.add({{10}, 100});
  EXPECT_TRUE(all.has(before));
  EXPECT_FALSE(all.has({{10}, 60})) << "that claim wrote no such record, or it is lost";
}

TEST(lineages, refuse_a_claim_of_which_the_beginning_was_given_up) {
  lineage all{{{{1}, 10}, {{5}, 50}}};
  all.add({{5}, 55});
  EXPECT_FALSE(all.has({{5}, 50}));
  EXPECT_TRUE(all.has({{5}, 55}));
  EXPECT_TRUE(all.has({{4}, 10}));
}

TEST(lineages, forget_the_oldest_claims) {
  lineage all;
  for (std::uint64_t i = 1; i <= lineage::claims_max + 10; ++i) all.add({{2 * i}, i});
  EXPECT_EQ(all.claims().size(), lineage::claims_max);
  EXPECT_FALSE(all.has({{2}, 1}));
  EXPECT_TRUE(all.has({{22}, 11}));
}

TEST(lineages, remember_that_a_store_was_put_back) {
  lineage all{{{{1}, 10}, {{5}, 50}}};
  EXPECT_FALSE(all.was_put_back());
  all.add({{4}, 40, true});
  EXPECT_TRUE(all.was_put_back());
  all.add({{4}, 41});
  EXPECT_TRUE(all.was_put_back()) << "nobody wrote anything under the claim before";
  for (std::uint64_t i = 5; i <= lineage::claims_max + 10; ++i) all.add({{2 * i}, i});
  EXPECT_TRUE(all.was_put_back()) << "the claim that said so is forgotten";
}

/// A log whose records are numbers of their own, with the claims of those who wrote them.
struct world {
  std::vector<std::uint64_t> records{0};  ///< By position; none has position 0.
  lineage claims;
};

TEST(lineages, agree_with_the_records_whatever_forks) {
  std::mt19937_64 random{7};
  const auto up_to = [&](std::size_t most) { return static_cast<std::size_t>(random() % most); };
  for (int round = 0; round < 200; ++round) {
    std::vector<world> worlds(1);
    std::uint64_t next = 1;
    for (int step = 0; step < 30; ++step) {
      auto now = worlds[up_to(worlds.size())];
      // An older state is put back: the records behind it are gone.
      if (up_to(3) == 0) now.records.resize(1 + up_to(now.records.size()));
      const auto kept = now.records.size();
      std::vector<claim_begin> left;
      for (const auto& each : now.claims.claims())
        if (each.from.value < kept) left.push_back(each);
      now.claims = lineage{left};
      now.claims.add({{kept}, next});
      for (auto i = 1 + up_to(4); i > 0; --i) now.records.push_back(next++);
      worlds.push_back(now);
    }
    for (int look = 0; look < 300; ++look) {
      const auto& then = worlds[1 + up_to(worlds.size() - 1)];
      const auto& now = worlds[1 + up_to(worlds.size() - 1)];
      const auto position = 1 + up_to(then.records.size() - 1);
      const bool same = position < now.records.size() &&
                        std::equal(then.records.begin(),
                                   then.records.begin() + static_cast<std::ptrdiff_t>(position) + 1,
                                   now.records.begin());
      const bool known =
          position < now.records.size() && now.claims.has(then.claims.place_at({position}));
      ASSERT_EQ(known, same) << round << " at " << position;
    }
  }
}

}  // namespace
}  // namespace argosy::model
