// SPDX-License-Identifier: Apache-2.0
// Sends requests to one server: each waits for its place under the limits of requests (in a second,
// and at a time), gets the credentials of that moment, and is sent once more with others if the
// server refuses those. They say where the server is, too, and it may be another one than before.
// Streams count in the first limit only. It belongs to the thread of the loop.
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <functional>
#include <memory>
#include <mutex>
#include <string>
#include <unordered_map>

#include "runtime/base/token_bucket.hpp"
#include "runtime/kube/https/credential_keeper.hpp"
#include "runtime/kube/https/curl_loop.hpp"
#include "runtime/kube/https/exchange.hpp"

namespace argosy::kube {

class sender {
 public:
  /// `loop` must outlive it.
  sender(curl_loop& loop, https_peer peer, credentials from, token_bucket limit,
         std::size_t at_a_time_max);

  /// `done` is called later, unless the request is cancelled. The number is never 0.
  std::uint64_t send(exchange_plan plan, curl_loop::end_handler done);
  void cancel(std::uint64_t number);
  /// Whether the request waits for its place or for credentials.
  [[nodiscard]] bool waits(std::uint64_t number) const;
  /// `moved` is called whenever requests go to another server from now on.
  void on_move(std::function<void()> moved) { moved_ = std::move(moved); }
  /// Where they go. From any thread.
  [[nodiscard]] std::string server() const;

 private:
  struct sending {
    exchange_plan plan;
    curl_loop::end_handler done;
    credential_keeper::shared_identity as{};
    std::uint64_t exchange = 0;
    bool renewed = false;
    bool counted = false;  ///< Whether it is one of those that are under way.
  };
  using sendings = std::unordered_map<std::uint64_t, sending>;

  void let_through();
  void let_through_after(std::chrono::nanoseconds wait);
  /// The queue whose first request is the next to go; null if none may go now.
  [[nodiscard]] std::deque<std::uint64_t>* next_queue();
  sending take_out(sendings::iterator at);
  void identify(std::uint64_t number);
  void identified(std::uint64_t number, result<credential_keeper::shared_identity> as);
  void ended(std::uint64_t number, exchange_end end);
  void go_to(const server_place& place);

  curl_loop& loop_;
  https_peer peer_;
  server_place at_;
  std::function<void()> moved_{};
  mutable std::mutex mutex_;
  std::string server_;  ///< Guarded by mutex_.
  token_bucket limit_;
  const std::size_t at_a_time_max_;
  std::size_t under_way_ = 0;
  sendings sending_;
  // They wait for their place; some may be cancelled.
  std::deque<std::uint64_t> streams_;
  std::deque<std::uint64_t> asks_;
  std::uint64_t timer_ = 0;
  std::uint64_t last_number_ = 0;
  credential_keeper keeper_;
};

}  // namespace argosy::kube
