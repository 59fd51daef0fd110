// SPDX-License-Identifier: Apache-2.0
// How many jobs may still be preempted for balance. Each job that would leave counts once, gang
// mates and those included that could not return for want of a floating resource.
#pragma once

#include <absl/container/flat_hash_set.h>

#include <cmath>
#include <cstdint>
#include <vector>

#include "runtime/scheduling/engine/queues/books.hpp"
#include "runtime/scheduling/engine/world.hpp"

namespace argosy::scheduling::engine {

class preemption_budget {
 public:
  preemption_budget(const world& w, const books& sums, double tokens);

  /// Whether there is a budget at all. An evicted job of a job's own class leaves for urgency only
  /// if there is none.
  [[nodiscard]] bool is_finite() const { return !std::isinf(left_); }
  /// Whether it covers not even one job.
  [[nodiscard]] bool is_spent() const { return left_ < 1; }
  void spend(std::size_t jobs) {
    left_ -= static_cast<double>(jobs);
    used_ += jobs;
  }
  /// A job was not preempted after all. What it cost is not spent again in this round.
  void take_back() { --used_; }
  [[nodiscard]] std::uint64_t used() const { return used_; }

  /// These jobs were evicted; they are asked when floating resources become short.
  void watch(std::vector<std::uint32_t> floating_holders);
  [[nodiscard]] bool watches() const { return !holders_.empty(); }
  /// Finds the evicted jobs that may not be able to return once the gang, which counts as if it ran
  /// already, has its floating amounts. Without a finite budget nobody asks for them.
  void find_at_stake();
  /// Whether more evicted jobs could not return than the budget covers.
  [[nodiscard]] bool exceeded_by_stake() const {
    return !at_stake_.empty() && static_cast<double>(at_stake_.size()) > left_;
  }
  /// Whether the budget covers these jobs and their gangs, after `so_far` jobs in the same trial,
  /// or there is none to keep.
  [[nodiscard]] bool covers(const std::vector<std::uint32_t>& jobs, std::size_t so_far) const;

 private:
  [[nodiscard]] std::uint32_t shape_of(std::uint32_t job) const { return t_.jobs[job].shape; }

  const tables& t_;
  const bindings& bound_;
  const books& books_;
  bool hard_;
  double left_;
  std::uint64_t used_ = 0;
  std::vector<std::uint32_t> holders_;  ///< The evicted jobs that hold floating amounts.
  absl::flat_hash_set<std::uint32_t> at_stake_;
  std::vector<std::int64_t> held_;  ///< Scratch memory of find_at_stake().
};

}  // namespace argosy::scheduling::engine
