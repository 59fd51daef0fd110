// SPDX-License-Identifier: Apache-2.0
// The crowd stands for the users of a simulated world. They submit jobs under client ids until they
// are told that these are accepted, cancel some and change priorities; what they were told is what
// the system has promised.
#pragma once

#include <google/protobuf/message_lite.h>

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "bins/simulator/user_end.hpp"
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
  std::uint64_t accepted = 0;  ///< Jobs.
  std::uint64_t repeated = 0;  ///< Requests that were sent again.
  std::uint64_t refused = 0;   ///< Requests that were refused for good.
  std::uint64_t cancels = 0;
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
  [[nodiscard]] bool is_served() const noexcept { return open_ == 0; }

  [[nodiscard]] const std::vector<witness::acknowledged>& told() const noexcept { return told_; }
  [[nodiscard]] const crowd_counts& counts() const noexcept { return counts_; }

  [[nodiscard]] user_end& end() noexcept { return end_; }

 private:
  using reply_taker = std::function<void(const std::string& data)>;

  void make_queue(std::uint64_t number);
  void come(virtual_time::duration until);
  void submit();
  void cancel_any();
  void cancel(const std::vector<std::string>& jobs);
  void reprioritise();
  /// Sends the request until it is answered. An answer that says that the request makes no sense is
  /// one as well.
  void ask(const std::string& method, const google::protobuf::MessageLite& request,
           reply_taker done);
  void send(const std::string& method, const std::string& data, const reply_taker& done);

  surroundings& around_;
  dice chances_;
  const crowd_rules rules_;
  user_end end_;
  std::vector<witness::acknowledged> told_;
  crowd_counts counts_;
  std::uint64_t submissions_ = 0;
  std::uint64_t open_ = 0;
};

}  // namespace argosy::sim
