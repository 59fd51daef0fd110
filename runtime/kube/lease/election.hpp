// SPDX-License-Identifier: Apache-2.0
// Takes part in the election of the replica that acts. It has one thread, which does what
// election_core decides.
#pragma once

#include <atomic>
#include <chrono>
#include <condition_variable>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <thread>

#include "runtime/base/clock.hpp"
#include "runtime/kube/api.hpp"
#include "runtime/kube/lease/election_core.hpp"

namespace argosy::kube {

class election {
 public:
  /// Begins at once. `lost` is called once, on the thread of the election, when this replica led
  /// and may not act any more. The rules must be valid, and `clock` must outlive it.
  election(std::shared_ptr<api> server, election_rules rules, std::function<void()> lost,
           const clock_source& clock);
  /// Does not give the lease up; see release().
  ~election();
  election(const election&) = delete;
  election& operator=(const election&) = delete;

  [[nodiscard]] bool leads() const noexcept { return held_until() > clock_.boot(); }
  /// Until when this replica may act. Safe to call from any thread.
  [[nodiscard]] boot_time held_until() const noexcept {
    return boot_time{held_until_->load(std::memory_order_relaxed)};
  }
  /// The same as a function that may outlive the election; nothing may be done then.
  [[nodiscard]] std::function<boot_time()> fence() const;
  /// Names the time as a leader, see election_core::term().
  [[nodiscard]] std::string term() const;
  /// Who holds the lease; empty if nobody does or it is not known.
  [[nodiscard]] std::string holder() const;

  /// Why the API server denies this replica the lease, and where to change it.
  [[nodiscard]] result<void> may_look() const;

  /// Gives the lease up, if it is held, so that another replica acts at once. Nothing may be done
  /// any more when it is called. Waits for the API server for at most `within`.
  void release(std::chrono::milliseconds within);

 private:
  void work();
  void take(const result<answer>& got);
  void tell_of(const std::unique_lock<std::mutex>& lock);

  /// Shared with the answers under way, which may come after the end.
  struct inbox {
    std::mutex mutex;
    std::condition_variable changed;
    std::optional<result<answer>> got;
  };

  const std::shared_ptr<api> server_;
  const std::function<void()> lost_;
  const clock_source& clock_;
  const std::shared_ptr<inbox> inbox_ = std::make_shared<inbox>();
  const std::shared_ptr<std::atomic<std::int64_t>> held_until_ =
      std::make_shared<std::atomic<std::int64_t>>(boot_time::min().count());

  // Guarded by inbox_->mutex.
  election_core core_;
  bool asking_ = false;
  bool ending_ = false;
  bool told_lost_ = false;
  standing told_ = standing::lost;
  std::string told_holder_;
  std::string told_trouble_;

  std::thread thread_;
};

}  // namespace argosy::kube
