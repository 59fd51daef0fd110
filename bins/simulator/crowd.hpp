// SPDX-License-Identifier: Apache-2.0
// The crowd stands for the users of a simulated world. They submit jobs under client ids until they
// are told that these are accepted, cancel some and change priorities; what they were told is what
// the system has promised.
#pragma once

#include <cstdint>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "bins/simulator/requester.hpp"
#include "bins/simulator/witness/verdict.hpp"

namespace argosy::sim {

struct crowd_rules {
  std::uint64_t jobs_an_hour = 2'000;
  std::uint64_t queues = 4;
  std::chrono::nanoseconds mean_runtime = std::chrono::seconds{60};
  bool gangs = true;        ///< Some submissions are gangs.
  bool preemptible = true;  ///< Some jobs may be preempted.
};

struct crowd_counts {
  std::uint64_t accepted = 0;   ///< Jobs.
  std::uint64_t looked_up = 0;  ///< Accepted jobs that were read afterwards.
  std::uint64_t cancels = 0;
  std::uint64_t cancelled_sets = 0;
  std::uint64_t priorities = 0;
};

class crowd {
 public:
  [[nodiscard]] static std::string queue_of(std::uint64_t number);
  [[nodiscard]] static std::string set_of(std::uint64_t number);

  /// `around` outlives it.
  crowd(surroundings& around, std::uint64_t seed, const crowd_rules& rules);

  /// Makes queues, and lets users come until then.
  void begin(virtual_time::duration until);
  /// Whether every request was answered.
  [[nodiscard]] bool is_served() const noexcept { return desk_.is_served(); }

  [[nodiscard]] const std::vector<witness::acknowledged>& told() const noexcept { return told_; }
  [[nodiscard]] const crowd_counts& counts() const noexcept { return counts_; }

  [[nodiscard]] requester& desk() noexcept { return desk_; }

 private:
  void make_queue(std::uint64_t number);
  void come(virtual_time::duration until);
  void submit();
  void cancel_any();
  void cancel(const std::vector<std::string>& jobs);
  void reprioritise();
  void cancel_set();
  /// Sees whether what was accepted can be read.
  void look_up(const std::vector<std::string>& jobs);

  surroundings& around_;
  dice chances_;
  const crowd_rules rules_;
  requester desk_;
  std::vector<witness::acknowledged> told_;
  crowd_counts counts_;
  std::uint64_t submissions_ = 0;
  /// The job sets that somebody has cancelled. The request may come again, and meet later jobs.
  std::set<std::pair<std::string, std::string>> cancelled_sets_;
  /// The job sets of jobs that were told, in their order.
  std::vector<std::pair<std::string, std::string>> sets_;
};

}  // namespace argosy::sim
