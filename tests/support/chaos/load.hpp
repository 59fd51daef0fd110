// SPDX-License-Identifier: Apache-2.0
// This file declares callers who submit jobs under keys until they are told that these are
// accepted, and cancel some job sets, while processes come and go. Each caller is one argosyctl at
// a time. One thread uses this.
#pragma once

#include <chrono>
#include <optional>
#include <string>
#include <vector>

#include "bins/simulator/witness/verdict.hpp"
#include "tests/support/chaos/plan.hpp"
#include "tests/support/chaos/secured_world.hpp"

namespace argosy::chaos {

struct load_settings {
  std::size_t callers = 3;      ///< Callers whose jobs run and leave traces.
  std::size_t bulk_count = 50;  ///< Jobs in each submission of the caller of jobs that only wait.
  std::chrono::milliseconds job_max{1'500};  ///< How long a job runs at most.
  std::chrono::milliseconds pause_max{300};  ///< How long a caller waits between submissions.
};

struct load_counts {
  std::size_t submissions = 0;          ///< Accepted ones.
  std::size_t repeated = 0;             ///< Accepted ones that were sent again with their key.
  std::size_t failed = 0;               ///< Attempts without a good answer, which were repeated.
  std::size_t cancels = 0;              ///< Accepted cancellations of job sets.
  std::chrono::milliseconds longest{};  ///< From the first attempt to the answer.
};

/// One caller. It goes on by poll().
class caller {
 public:
  caller(const secured_world& world, std::string name, std::uint64_t seed, bool bulk,
         const load_settings& how);

  /// Looks after its argosyctl, and starts the next one unless it is to end. Appends what was
  /// acknowledged to `told`, and counts.
  void poll(bool ending, std::vector<witness::acknowledged>& told, load_counts& counts);
  /// Whether the caller was told to end and its last submission is accepted.
  [[nodiscard]] bool done() const { return step_ == step::done; }

 private:
  enum class step : std::uint8_t { idle, submit, again, cancel, done };
  using clock = std::chrono::steady_clock;

  void prepare();
  void prepare_jobs(std::vector<testing::job_text>& all);
  void launch();
  void answered(std::vector<witness::acknowledged>& told, load_counts& counts);
  void rest(std::chrono::milliseconds at_most);
  [[nodiscard]] std::string file(const std::string& kind) const {
    return (world_.folder() / (name_ + kind)).string();
  }

  const secured_world& world_;
  std::string name_;
  seeded numbers_;
  bool bulk_;
  load_settings how_;
  step step_ = step::idle;
  std::size_t serial_ = 0;
  std::string key_;
  std::vector<witness::ending> endings_;  ///< What becomes of the jobs of the submission.
  testing::child process_;
  bool under_way_ = false;
  clock::time_point begun_{};
  clock::time_point next_{};
};

}  // namespace argosy::chaos
