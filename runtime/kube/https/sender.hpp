// SPDX-License-Identifier: Apache-2.0
// Sends requests to one server: each waits for its place under the limit of requests, gets the
// credentials of that moment, and is sent once more with others if the server refuses those. It
// belongs to the thread of the loop.
#pragma once

#include <cstdint>
#include <deque>
#include <memory>
#include <unordered_map>

#include "runtime/kube/https/credential_keeper.hpp"
#include "runtime/kube/https/curl_loop.hpp"
#include "runtime/kube/https/exchange.hpp"
#include "runtime/kube/https/token_bucket.hpp"

namespace argosy::kube {

class sender {
 public:
  /// `loop` must outlive it.
  sender(curl_loop& loop, https_peer peer, credentials from, token_bucket limit);

  /// `done` is called later, unless the request is cancelled. The number is never 0.
  std::uint64_t send(exchange_plan plan, curl_loop::end_handler done);
  void cancel(std::uint64_t number);
  /// Whether the request waits for its place or for credentials.
  [[nodiscard]] bool waits(std::uint64_t number) const;

 private:
  struct sending {
    exchange_plan plan;
    curl_loop::end_handler done;
    credential_keeper::shared_identity as{};
    std::uint64_t exchange = 0;
    bool renewed = false;
  };

  void let_through();
  void identify(std::uint64_t number);
  void identified(std::uint64_t number, result<credential_keeper::shared_identity> as);
  void ended(std::uint64_t number, exchange_end end);

  curl_loop& loop_;
  https_peer peer_;
  token_bucket limit_;
  std::unordered_map<std::uint64_t, sending> sending_;
  std::deque<std::uint64_t> queue_;  ///< They wait for their place; some may be cancelled.
  std::uint64_t timer_ = 0;
  std::uint64_t last_number_ = 0;
  credential_keeper keeper_;
};

}  // namespace argosy::kube
