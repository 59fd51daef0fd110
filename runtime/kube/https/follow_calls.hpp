// SPDX-License-Identifier: Apache-2.0
// The followed collections of a client: each has a core that decides, and asks what it says. It
// belongs to the thread of the loop.
#pragma once

#include <atomic>
#include <cstdint>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <unordered_map>

#include "runtime/base/random.hpp"
#include "runtime/kube/api.hpp"
#include "runtime/kube/follow/follow_core.hpp"
#include "runtime/kube/https/curl_loop.hpp"
#include "runtime/kube/https/https_options.hpp"
#include "runtime/kube/https/sender.hpp"

namespace argosy::kube {

/// The way to a follower, which closes for good. Any thread may close it.
class follower_gate {
 public:
  explicit follower_gate(follower& to) : to_(to) {}

  /// Tells the follower, unless the gate is closed.
  void tell(notice what);
  template <class Call>
  void pass(Call call) {
    const std::lock_guard lock{calls_};
    if (open_) call(to_);
  }
  /// Waits for a running call; on the thread of the calls none can run but the one within which
  /// this is called.
  void close(bool on_thread_of_calls);

 private:
  std::mutex calls_;
  std::atomic<bool> open_ = true;
  follower& to_;
};

class follow_calls {
 public:
  /// All must outlive it.
  follow_calls(curl_loop& loop, sender& sends, random_source& random, const https_options& options);

  void begin(std::uint64_t number, const std::string& collection,
             std::shared_ptr<follower_gate> to);
  /// Nothing happens if there is no such call.
  void end(std::uint64_t number);
  /// Another server is asked now: all collections are listed there.
  void begin_anew(const error& why);

 private:
  struct call {
    follow_core core;
    std::shared_ptr<follower_gate> to;
    std::uint64_t sending = 0;
    std::uint64_t timer = 0;
    follow_step planned{};  ///< The request that is sent next.
    bool away = false;      ///< It waits because nobody answered.
    /// What comes after a watch that is being ended.
    std::optional<follow_step> next{};
  };

  /// Ends what is under way, or waits to be.
  void stop(call& one);
  void take(std::uint64_t number, follow_step step);
  void send(std::uint64_t number);
  /// The server is there, so that nobody has to wait for it.
  void answered();
  void opened(std::uint64_t number);
  void ended(std::uint64_t number, follow_step::kind what, exchange_end end);
  [[nodiscard]] bool watched(std::uint64_t number, std::string_view bytes);
  static void tell(const call& one, std::vector<notice> what);
  static void tell_end(const call& one, follow_step::kind what, const exchange_end& end);

  curl_loop& loop_;
  sender& sends_;
  random_source& random_;
  const https_options& options_;
  std::unordered_map<std::uint64_t, call> calls_;
};

}  // namespace argosy::kube
