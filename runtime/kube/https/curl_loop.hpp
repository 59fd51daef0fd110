// SPDX-License-Identifier: Apache-2.0
// A thread that runs exchanges of HTTP, timers and functions, one at a time.
#pragma once

#include <curl/curl.h>

#include <atomic>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <set>
#include <thread>
#include <unordered_map>
#include <vector>

#include "runtime/base/clock.hpp"
#include "runtime/kube/https/exchange.hpp"

namespace argosy::kube {

class curl_loop {
 public:
  using job = std::function<void()>;
  using end_handler = std::function<void(exchange_end)>;

  /// `clock` must outlive it. The thread begins with start().
  explicit curl_loop(const clock_source& clock);
  /// The thread must have been stopped.
  ~curl_loop();
  curl_loop(const curl_loop&) = delete;
  curl_loop& operator=(const curl_loop&) = delete;

  void start();
  /// Runs `last` on the thread and ends it; exchanges and timers that are left are dropped. It must
  /// not be called on the thread.
  void stop(job last);

  /// Has the thread run a function; from any thread. Nothing happens once it was stopped.
  void post(job what);
  [[nodiscard]] bool on_thread() const noexcept;
  [[nodiscard]] const clock_source& clock() const noexcept { return clock_; }

  // On the thread only:

  /// Begins an exchange. `done` is called later, unless the exchange is cancelled. The number is
  /// never 0.
  std::uint64_t begin(std::unique_ptr<exchange> what, end_handler done);
  /// May be called from `done` or a stream of any exchange; the number may be of one that ended.
  void cancel(std::uint64_t number);

  /// Runs a function later, unless it is forgotten before. The number is never 0.
  std::uint64_t after(std::chrono::nanoseconds delay, job what);
  void forget(std::uint64_t timer);
  /// The next turn follows at once, since much is coming.
  void hurry() noexcept { hurried_ = true; }

 private:
  struct running {
    std::unique_ptr<exchange> what;
    end_handler done;
  };

  void run();
  void run_posted();
  void run_timers();
  void perform();
  void cut_silent();
  void wait();
  void finish(std::uint64_t number, exchange_end (*how)(exchange&, CURLcode), CURLcode code);
  void remove(std::uint64_t number);
  void drop_dead_connections(boot_time silent_since);
  static curl_socket_t open_socket(void* self, curlsocktype what, curl_sockaddr* at);
  static int close_socket(void* self, curl_socket_t socket);
  [[nodiscard]] std::chrono::nanoseconds until_next() const;

  const clock_source& clock_;
  CURLM* multi_;
  std::thread thread_;
  std::atomic<std::thread::id> id_{};

  std::mutex mutex_;
  std::vector<job> posted_;
  bool stopped_ = false;

  // Only the thread uses these.
  bool ending_ = false;
  bool in_curl_ = false;
  bool hurried_ = false;
  std::uint64_t last_number_ = 0;
  std::unordered_map<std::uint64_t, running> exchanges_;
  std::set<curl_socket_t> sockets_;       ///< The open ones.
  boot_time heard_;                       ///< When the server said something to those that ended.
  std::vector<std::uint64_t> cancelled_;  ///< While libcurl is at work.
  std::map<std::pair<boot_time, std::uint64_t>, job> timers_;
  /// When each of timers_ is due, by its number.
  std::unordered_map<std::uint64_t, boot_time> timer_due_;
};

}  // namespace argosy::kube
