// SPDX-License-Identifier: Apache-2.0
// Goal: what rounds preempt for balance brings queues their shares, and little of it is in vain.
// Method: random histories of small pools; of each round with preemptions all smaller sets of its
// victims are tried. ARGOSY_ORACLE_WORLDS sets the number of histories; the figures are printed
// then.
#include "tests/oracle/histories.hpp"

#include <gtest/gtest.h>

#include <iostream>
#include <set>

#include "tests/oracle/random_worlds.hpp"

namespace argosy::oracle {
namespace {

struct tally {
  int rounds = 0;   ///< The rounds with preemptions.
  int endless = 0;  ///< The phases that do not come to rest.
  std::size_t preempted = 0;
  std::size_t needless = 0;  ///< The preempted jobs whose places nobody needed.
  std::size_t undone = 0;    ///< Those that had started since the last jobs arrived.
  std::int64_t cores_lost = 0;
  double share_gained = 0;  ///< The cores that queues below their shares got up to these.
  // These are counted when no more is decided.
  std::int64_t lacking = 0;      ///< See lacking(), at the end of each history.
  std::size_t kept_waiting = 0;  ///< See kept_waiting().
};

void count_round(const history& at, const round_outcome& what, tally& into) {
  const auto& w = at.now();
  auto next = at;
  next.apply(what);
  const auto before = divide(w);
  const auto after = divide(next.now());
  ++into.rounds;
  into.preempted += what.preempted.size();
  into.needless += what.preempted.size() - least_needed(w, what);
  for (const auto j : what.preempted) into.cores_lost += w.jobs[j].request[0] / 1000;
  for (std::size_t q = 0; q < before.used.size(); ++q)
    into.share_gained += std::min(static_cast<double>(after.used[q]), before.capped[q]) -
                         std::min(static_cast<double>(before.used[q]), before.capped[q]);
}

/// Decides rounds until one decides nothing.
void run_phase(history& at, tally& into) {
  std::set<std::string> fresh;
  for (int round = 0; round < history::rounds_most; ++round) {
    const auto what = at.decide();
    if (what.is_empty()) {
      into.kept_waiting += kept_waiting(at.now());
      return;
    }
    for (const auto j : what.started) fresh.insert(lasting_name(at.now().jobs[j].id));
    for (const auto j : what.preempted)
      into.undone += fresh.count(lasting_name(at.now().jobs[j].id));
    if (!what.preempted.empty()) count_round(at, what, into);
    at.apply(what);
  }
  ++into.endless;
}

template <class Adjust>
tally run_histories(const std::string& name, kind preset, Adjust adjust) {
  tally all;
  for (int seed = 0; seed < world_count(200); ++seed) {
    history at(static_cast<std::uint64_t>(seed), preset);
    adjust(at.now().rules);
    const auto ended = all.endless;
    for (int phase = 0; phase < history::phases && all.endless == ended; ++phase) {
      at.begin_phase();
      run_phase(at, all);
    }
    all.lacking += lacking(at.now());
  }
  if (std::getenv("ARGOSY_ORACLE_WORLDS") != nullptr)
    std::cout << name << ": endless " << all.endless << ", rounds " << all.rounds << ", preempted "
              << all.preempted << " (needless " << all.needless << ", undone " << all.undone
              << "), cores lost " << all.cores_lost << ", share gained " << all.share_gained
              << ", lacking " << all.lacking << ", kept waiting " << all.kept_waiting << "\n";
  return all;
}

class histories : public ::testing::TestWithParam<kind> {
 protected:
  static std::string name() { return kind_names[static_cast<std::size_t>(GetParam())]; }
};

TEST_P(histories, come_to_rest_and_undo_little) {
  const auto all = run_histories(name(), GetParam(), [](settings& rules) {
    rules.feasible_heads = rules.preset != kind::unified;  // As these presets are.
  });
  EXPECT_EQ(all.endless, 0);
  EXPECT_GT(all.preempted, 100u);
  EXPECT_LE(all.undone * 20, all.preempted);
  // Members of a gang look for their nodes one by one, so that a later one may make the victims of
  // an earlier one needless.
  EXPECT_LE(all.needless * 20, all.preempted);
  EXPECT_EQ(all.kept_waiting, 0u);
}

INSTANTIATE_TEST_SUITE_P(presets, histories,
                         ::testing::Values(kind::argosy, kind::unified, kind::classic),
                         [](const auto& info) {
                           return std::string(kind_names[static_cast<std::size_t>(info.param)]);
                         });

TEST(histories, keep_nobody_waiting_below_the_share_for_the_size_of_the_next_gang) {
  // Heads that cannot start have turns here, so that it matters most how these are ranked.
  const auto ranked = [](bool at_share) {
    return run_histories(at_share ? "rankAtShare" : "no rankAtShare", kind::unified,
                         [&](settings& rules) {
                           rules.feasible_heads = false;
                           rules.rank_at_share = at_share;
                         });
  };
  EXPECT_GT(ranked(false).kept_waiting, 50u);
  EXPECT_EQ(ranked(true).kept_waiting, 0u);
}

TEST(histories, preempt_more_where_heads_are_passed_over_since_queues_get_their_shares) {
  const auto off =
      run_histories("headFeasibility off, no rankAtShare", kind::argosy, [](settings& rules) {
        rules.feasible_heads = false;
        rules.rank_at_share = false;
      });
  const auto now = run_histories("argosy", kind::argosy, [](settings&) {});
  EXPECT_LE(now.lacking * 4, off.lacking);
  EXPECT_GT(now.share_gained, off.share_gained);
  // A core of a share costs hardly more, though more gangs fall.
  EXPECT_LE(static_cast<double>(now.cores_lost) / now.share_gained,
            static_cast<double>(off.cores_lost) / off.share_gained * 1.15);
}

}  // namespace
}  // namespace argosy::oracle
