// SPDX-License-Identifier: Apache-2.0
// Random worlds for the property tests, and what a world becomes after a round.
#pragma once

#include <array>
#include <cstdint>
#include <map>
#include <random>
#include <string>
#include <vector>

#include "tests/support/world_fixture.hpp"

namespace argosy::scheduling {

inline constexpr std::array<preset, 5> every_preset = {
    preset::argosy, preset::unified, preset::classic, preset::lottery, preset::current};

struct test_node {
  std::string id;
  int cpu = 1;  ///< The number of cores.
  std::string labels = "-";
  int memory = 1000;  ///< The memory in units of 100 MiB, as the index rounds.
};

struct test_queue {
  std::string name;
  double factor = 1;
};

struct test_job {
  std::string id;
  std::string queue;
  std::string class_name = "std";
  int priority = 0;
  int submitted = 0;
  int cpu = 1;     ///< The number of cores.
  int memory = 1;  ///< The memory in units of 100 MiB.
  std::string selector = "-";
  std::string gang = "-";
  int cardinality = 1;
  std::string node = {};  ///< The node on which it runs; empty: it waits.
  int created = 0;
  int run_priority = 1000;
};

struct test_world {
  std::vector<test_node> nodes;
  std::vector<test_queue> queues;
  std::vector<test_job> jobs;

  [[nodiscard]] std::string text() const;
  /// The cores of running jobs on a node.
  [[nodiscard]] int used_on(const std::string& node) const;
  /// The cores of a queue's running jobs.
  [[nodiscard]] int used_by(const std::string& queue) const;
  [[nodiscard]] int running_of(const std::string& queue) const;
};

/// Makes 1 to 6 nodes, 1 to 4 queues, some jobs running and some waiting, in four classes.
class world_maker {
 public:
  explicit world_maker(std::uint64_t seed) : random_(seed) {}

  test_world make();
  /// Makes one node of 4 to 20 cores, 2 to 4 queues, and jobs of one core, class and size only; all
  /// running jobs fit. `full` gives each queue more jobs than there are cores.
  test_world make_divisible(bool full);

  template <class T>
  void shuffle(std::vector<T>& list) {
    for (auto i = list.size(); i > 1; --i) std::swap(list[i - 1], list[below(i)]);
  }
  /// A random number from 0 to n - 1.
  std::uint64_t below(std::uint64_t n) { return random_() % n; }

 private:
  std::mt19937_64 random_;
};

/// Decides under a preset with the protected fraction that it has in the product.
decided decide_fairly(const test_world& world, preset name,
                      const std::function<void(config&)>& adjust = {});

enum class lost_jobs { end, resubmitted };
/// The world after the decisions: what started runs, what was preempted ends or waits again.
test_world after(const test_world& world, const lines& decisions, lost_jobs what);

}  // namespace argosy::scheduling
