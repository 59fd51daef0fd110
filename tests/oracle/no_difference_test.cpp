// SPDX-License-Identifier: Apache-2.0
// Goal: what can make no difference makes none, under any preset but `current`. Method: random
// worlds are decided with and without jobs and gangs that can never run and nodes that are closed,
// with these at different places of their queues, and with their rows in another order. The seed
// follows the commit, as in presets_test; ARGOSY_ORACLE_WORLDS sets the number of worlds.
#include <gtest/gtest.h>
#include <rapidcheck.h>

#include <algorithm>
#include <numeric>
#include <optional>
#include <random>

#include "tests/oracle/engine_side.hpp"
#include "tests/oracle/random_worlds.hpp"

namespace argosy::oracle {
namespace {

using numbers = std::minstd_rand;

unsigned below(numbers& from, std::size_t n) {
  return static_cast<unsigned>(from() % n);
}

/// Returns a job with the queue and class of one that waits, so that neither is new to the round;
/// nothing if no job waits.
std::optional<job> one_more(const world& w, numbers& dice) {
  std::vector<const job*> waiting;
  for (const auto& j : w.jobs)
    if (!j.node && j.queue != "nobody") waiting.push_back(&j);
  if (waiting.empty()) return std::nullopt;
  const auto& like = *waiting[below(dice, waiting.size())];
  job made;
  made.id = "j0";
  made.queue = like.queue;
  made.class_name = like.class_name;
  return made;
}

/// Puts the job anywhere into its queue, and anywhere into the world.
void put(world& w, job made, numbers& dice) {
  made.priority = below(dice, 4);
  made.submitted = below(dice, 8);
  const auto at = static_cast<std::ptrdiff_t>(below(dice, w.jobs.size() + 1));
  w.jobs.insert(w.jobs.begin() + at, made);
}

/// Adds jobs that no node may take: a single one, or a gang whose members may all be there or not.
void add_strays(world& w, job like, unsigned count, bool complete, numbers& dice) {
  like.selector["nowhere"] = "at all";
  for (unsigned i = 0; i < count; ++i) {
    auto member = like;
    member.id += static_cast<char>('a' + i);
    if (count > 1 || !complete) {
      member.gang = "strays";
      member.cardinality = count + (complete ? 0 : 1);
    }
    put(w, member, dice);
  }
}

/// Adds a job or a gang that is too large for all nodes together. These count in what their queue
/// asks for, so that they are compared with the same ones elsewhere.
void add_giants(world& w, job like, unsigned count, numbers& dice) {
  like.request[0] = count == 1 ? 640000 : 1000;
  for (unsigned i = 0; i < count; ++i) {
    auto member = like;
    member.id += std::to_string(i);
    if (count > 1) {
      member.gang = "giant";
      member.cardinality = count;
    }
    put(w, member, dice);
  }
}

/// Returns the same world with its rows in another order.
world shuffled(world w, numbers& dice) {
  std::vector<std::size_t> old(w.nodes.size());
  std::iota(old.begin(), old.end(), 0);
  std::shuffle(old.begin(), old.end(), dice);
  std::vector<std::size_t> place(old.size());
  std::vector<node> nodes;
  for (std::size_t i = 0; i < old.size(); ++i) {
    place[old[i]] = i;
    nodes.push_back(w.nodes[old[i]]);
  }
  w.nodes = std::move(nodes);
  for (auto& j : w.jobs)
    if (j.node) j.node = place[*j.node];
  std::shuffle(w.jobs.begin(), w.jobs.end(), dice);
  std::shuffle(w.queues.begin(), w.queues.end(), dice);
  return w;
}

void expect_same(const world& a, const world& b) {
  const auto left = engine_decides(a);
  const auto right = engine_decides(b);
  if (left == right) return;
  RC_FAIL("one\n" + snap1_text(a) + joined(left) + "other\n" + snap1_text(b) + joined(right));
}

class no_difference : public ::testing::TestWithParam<std::tuple<kind, breadth>> {
 protected:
  /// `change` makes two worlds of one that have to be decided alike.
  template <class Change>
  void compare(Change change) {
    check_worlds(std::get<0>(GetParam()), std::get<1>(GetParam()), 300, [&](world w) {
      w.rules.feasible_heads = true;
      numbers dice(static_cast<unsigned>(w.rules.seed + w.jobs.size() + 1));
      const auto like = one_more(w, dice);
      if (!like) return;
      change(w, *like, dice);
    });
  }
};

TEST_P(no_difference, comes_from_a_job_or_gang_that_may_run_nowhere) {
  compare([](const world& w, const job& like, numbers& dice) {
    auto more = w;
    add_strays(more, like, 1 + below(dice, 4), below(dice, 4) != 0, dice);
    expect_same(w, more);
  });
}

TEST_P(no_difference, comes_from_where_a_job_or_gang_stands_that_is_too_large) {
  compare([](const world& w, const job& like, numbers& dice) {
    const auto count = below(dice, 2) == 0 ? 1u : 60u;
    auto one = w;
    auto other = w;
    add_giants(one, like, count, dice);
    add_giants(other, like, count, dice);
    expect_same(one, other);
  });
}

TEST_P(no_difference, comes_from_closed_nodes_without_jobs) {
  compare([](const world& w, const job&, numbers& dice) {
    auto more = w;
    more.rules.closed.push_back("shut");
    for (unsigned i = 0, count = 1 + below(dice, 4); i < count; ++i) {
      auto closed = w.nodes.empty() ? node{} : w.nodes[below(dice, w.nodes.size())];
      closed.id = "closed" + std::to_string(i);
      closed.held = {};
      closed.unschedulable = below(dice, 2) == 0;
      if (!closed.unschedulable) closed.cluster = "shut";
      for (auto& amount : closed.total) amount *= 1 + below(dice, 3);
      more.nodes.push_back(closed);
    }
    expect_same(w, shuffled(more, dice));
  });
}

TEST_P(no_difference, comes_from_the_order_of_rows) {
  compare([](const world& w, const job&, numbers& dice) { expect_same(w, shuffled(w, dice)); });
}

std::string world_kind(const ::testing::TestParamInfo<std::tuple<kind, breadth>>& info) {
  const std::array<const char*, 3> words = {"plain", "wide", "mixed"};
  const auto [preset, how] = info.param;
  return std::string(kind_names[static_cast<std::size_t>(preset)]) + "_" +
         words[static_cast<std::size_t>(how)];
}

INSTANTIATE_TEST_SUITE_P(
    worlds, no_difference,
    ::testing::Combine(::testing::Values(kind::argosy, kind::unified, kind::classic, kind::lottery),
                       ::testing::Values(breadth::plain, breadth::wide, breadth::mixed)),
    world_kind);

}  // namespace
}  // namespace argosy::oracle
