// SPDX-License-Identifier: Apache-2.0
#include "runtime/backends/kubernetes/run_table.hpp"

#include <gtest/gtest.h>

#include <cstddef>
#include <vector>

namespace argosy::backends {
namespace {

struct run_with_due {
  boot_time due = boot_time::max();
};
std::size_t looked_at = 0;
struct its_due {
  boot_time operator()(const run_with_due& run) const {
    ++looked_at;
    return run.due;
  }
};
using table = run_table<run_with_due, its_due>;
using keys = std::vector<model::run_key>;

constexpr boot_time at(int seconds) {
  return std::chrono::seconds{seconds};
}

model::run_key key(std::uint32_t number) {
  return {{}, number};
}

void put(table& into, std::uint32_t number, boot_time due) {
  into.add(key(number)).first->due = due;
}

TEST(run_table, tells_what_is_due_in_the_order_of_its_time) {
  table runs;
  put(runs, 1, at(30));
  put(runs, 2, at(10));
  put(runs, 3, at(20));
  put(runs, 4, boot_time::max());
  EXPECT_EQ(runs.next_due(), at(10));
  EXPECT_EQ(runs.due(at(9)), keys{});
  EXPECT_EQ(runs.due(at(20)), (keys{key(2), key(3)}));
  EXPECT_EQ(runs.due(at(99)), (keys{key(2), key(3), key(1)}));
  EXPECT_EQ(runs.size(), 4u);
}

TEST(run_table, takes_over_what_was_changed_by_whatever_way) {
  table runs;
  for (std::uint32_t i = 1; i <= 4; ++i) put(runs, i, at(100));
  EXPECT_EQ(runs.next_due(), at(100));
  runs.find(key(3))->due = at(5);
  EXPECT_EQ(runs.due(at(50)), keys{key(3)});
  put(runs, 4, at(3));
  EXPECT_EQ(runs.due(at(50)), (keys{key(4), key(3)}));
  runs.change([](const auto& each, const auto&) { return each.number < 3; },
              [](const auto&, auto& run) { run.due = at(1); });
  EXPECT_EQ(runs.due(at(50)), (keys{key(1), key(2), key(4), key(3)}));
  runs.change([](const auto&, const auto&) { return true; },
              [](const auto&, auto& run) { run.due = boot_time::max(); });
  EXPECT_EQ(runs.next_due(), boot_time::max());
}

TEST(run_table, forgets_what_was_erased_also_right_after_a_change) {
  table runs;
  put(runs, 1, at(1));
  put(runs, 2, at(2));
  EXPECT_EQ(runs.next_due(), at(1));
  runs.find(key(1))->due = at(5);
  runs.erase(key(1));
  runs.erase(key(7));
  EXPECT_EQ(runs.due(at(9)), keys{key(2)});
  EXPECT_EQ(runs.find(key(1)), nullptr);
  EXPECT_EQ(runs.peek(key(1)), nullptr);
  put(runs, 1, at(3));
  runs.erase(key(1));
  put(runs, 1, at(4));
  EXPECT_EQ(runs.due(at(9)), (keys{key(2), key(1)}));
}

TEST(run_table, looks_only_at_runs_that_somebody_may_have_changed) {
  table runs;
  constexpr std::uint32_t many = 1'000;
  for (std::uint32_t i = 1; i <= many; ++i) put(runs, i, at(100));
  EXPECT_EQ(runs.next_due(), at(100));
  looked_at = 0;
  for (int turn = 0; turn < 10; ++turn) {
    EXPECT_EQ(runs.due(at(50)), keys{});
    EXPECT_EQ(runs.next_due(), at(100));
    EXPECT_NE(runs.peek(key(7)), nullptr);
  }
  EXPECT_EQ(looked_at, 0u);
  for (int times = 0; times < 3; ++times) runs.find(key(7))->due = at(1);
  EXPECT_EQ(runs.due(at(50)), keys{key(7)});
  EXPECT_EQ(looked_at, 1u);
}

}  // namespace
}  // namespace argosy::backends
