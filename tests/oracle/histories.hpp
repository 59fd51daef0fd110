// SPDX-License-Identifier: Apache-2.0
// This file declares random histories: jobs and gangs arrive at a small pool in phases, rounds are
// decided until one decides nothing, and what lost its place comes again at the end of its queue.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "tests/oracle/slow_world.hpp"

namespace argosy::oracle {

/// Says what one round decided, as numbers of jobs of the world that it decided.
struct round_outcome {
  std::vector<std::size_t> started;
  std::vector<std::size_t> node_of_started;
  std::vector<std::size_t> preempted;

  [[nodiscard]] bool is_empty() const { return started.empty() && preempted.empty(); }
};

/// One history. Its world is the one that the next round decides.
class history {
 public:
  static constexpr int phases = 4;
  /// A phase in which so many rounds decide something does not come to rest.
  static constexpr int rounds_most = 8;

  history(std::uint64_t seed, kind preset);

  [[nodiscard]] const world& now() const { return world_; }
  [[nodiscard]] world& now() { return world_; }
  /// Lets the next jobs arrive.
  void begin_phase();
  /// Has the engine decide the world; nothing changes by it.
  [[nodiscard]] round_outcome decide() const;
  /// Makes the world what it becomes by the decisions.
  void apply(const round_outcome& what);

 private:
  std::uint64_t below(std::uint64_t n);
  std::int64_t between(std::int64_t low, std::int64_t high);
  void add_job(const std::string& id, const std::string& queue, std::int64_t cores);
  void add_gang(const std::string& queue);

  world world_;
  std::uint64_t state_;
  std::int64_t time_ = 0;
  int phase_ = -1;
  int gangs_ = 0;
  int lost_ = 0;
};

/// Returns the part of the name of a job or gang that it keeps when it comes again.
[[nodiscard]] std::string lasting_name(const std::string& name);

/// Returns the least number of the preempted jobs whose places are enough for all that started, on
/// whatever nodes. What falls of a gang falls together.
[[nodiscard]] std::size_t least_needed(const world& w, const round_outcome& what);

/// What queues use of the pool, ask for and are due, in cores.
struct division {
  std::int64_t cores = 0;  ///< Those of the pool.
  std::vector<std::int64_t> used;
  std::vector<std::int64_t> demand;
  std::vector<double> capped;  ///< What it is due: its capped share, in cores.
};

[[nodiscard]] division divide(const world& w);

/// Returns how many single jobs wait of queues below their shares, for whom a node would have room
/// without the single jobs there that others run wholly beyond their shares.
[[nodiscard]] std::size_t kept_waiting(const world& w);

/// Returns how many cores queues lack of their shares that their waiting jobs of one core would
/// use.
[[nodiscard]] std::int64_t lacking(const world& w);

}  // namespace argosy::oracle
