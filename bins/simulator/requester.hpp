// SPDX-License-Identifier: Apache-2.0
// A requester sends requests of users or operators until they are answered.
#pragma once

#include <google/protobuf/message_lite.h>

#include <cstdint>
#include <functional>
#include <string>

#include "bins/simulator/user_end.hpp"
#include "runtime/base/result.hpp"

namespace argosy::sim {

class requester {
 public:
  using reply_taker = std::function<void(const std::string& data)>;
  using refusal_taker = std::function<void(const error& why)>;

  /// `around` outlives it. The name stands in the trace.
  requester(surroundings& around, std::string name)
      : around_(around), name_(std::move(name)), end_(around) {}

  /// Sends the request until it is answered. An answer that says that the request makes no sense is
  /// one as well, and goes to `refused`.
  void ask(const std::string& method, const google::protobuf::MessageLite& request,
           reply_taker done, refusal_taker refused = {});

  /// Whether every request was answered.
  [[nodiscard]] bool is_served() const noexcept { return open_ == 0; }
  /// Requests that were sent again.
  [[nodiscard]] std::uint64_t repeated() const noexcept { return repeated_; }
  /// Requests that were refused for good.
  [[nodiscard]] std::uint64_t refused() const noexcept { return refused_; }
  [[nodiscard]] user_end& end() noexcept { return end_; }

 private:
  struct open_request {
    std::string method;
    std::string data;
    reply_taker done;
    refusal_taker refused;
  };

  void send(const std::shared_ptr<const open_request>& what);
  void fail(const open_request& what, const error& why);

  surroundings& around_;
  const std::string name_;
  user_end end_;
  std::uint64_t open_ = 0;
  std::uint64_t repeated_ = 0;
  std::uint64_t refused_ = 0;
};

}  // namespace argosy::sim
