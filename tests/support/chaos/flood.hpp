// SPDX-License-Identifier: Apache-2.0
// This file declares a flood: callers who submit jobs as fast as they can, each with many requests
// unanswered, over connections of their own. No node can hold the jobs, so that they wait until
// they are cancelled. One thread uses a flood, which has a thread for each caller.
#pragma once

#include <chrono>
#include <condition_variable>
#include <memory>
#include <mutex>
#include <string>
#include <thread>
#include <vector>

#include "bins/simulator/witness/verdict.hpp"
#include "runtime/bus/connection.hpp"
#include "tests/support/chaos/secured_world.hpp"

namespace argosy::chaos {

struct flood_settings {
  std::size_t callers = 4;
  /// How many requests each caller has under way; argosyd works on 256 of all callers at a time.
  std::size_t unanswered = 640;
};

struct flood_counts {
  std::size_t sent = 0;
  std::size_t accepted = 0;
  std::size_t busy = 0;        ///< Refused as overload, with a time after which to try again.
  std::size_t other = 0;       ///< Answered in any other way, or not at all.
  std::string first_other{};   ///< The first of those answers.
  std::size_t unanswered = 0;  ///< Those under way.
  std::chrono::milliseconds longest{};  ///< The longest time until a job was accepted.
};

class flood {
 public:
  /// The job set of all its jobs, which are of the queue "q".
  static constexpr auto job_set = "flood";

  /// Begins at once. The callers are refused if the world's server does not run.
  explicit flood(const secured_world& world, const flood_settings& how = {});
  flood(const flood&) = delete;
  flood& operator=(const flood&) = delete;
  /// Ends the flood and waits until no request is under way.
  ~flood() { stop(); }

  /// Sends nothing more and waits until all that was sent is answered, or has timed out after 30 s.
  void stop();
  [[nodiscard]] flood_counts counts() const;
  /// What was accepted; to be asked after stop().
  [[nodiscard]] const std::vector<witness::acknowledged>& told() const { return told_; }

 private:
  using clock = std::chrono::steady_clock;

  void submit_on(bus::connection& connection, std::size_t caller);
  void answered(std::size_t caller, std::string key, clock::time_point sent,
                const result<bus::frame>& reply);

  flood_settings how_;
  std::string subject_;
  std::vector<std::shared_ptr<bus::connection>> connections_;
  mutable std::mutex mutex_;  ///< It protects what stands below.
  std::condition_variable changed_;
  bool ending_ = false;
  flood_counts counts_;
  std::vector<std::size_t> open_;  ///< How many requests of each caller are under way.
  std::vector<witness::acknowledged> told_;
  std::vector<std::thread> threads_;
};

}  // namespace argosy::chaos
