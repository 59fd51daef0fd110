// SPDX-License-Identifier: Apache-2.0
// The request that a call has made of the bus, which is given up when the caller goes. Any thread
// may use it.
#pragma once

#include <memory>
#include <mutex>
#include <string>
#include <utility>

#include "runtime/bus/connection.hpp"

namespace argosy::rpc {

class given_request {
 public:
  explicit given_request(std::shared_ptr<bus::connection> api) : api_(std::move(api)) {}

  /// The request was made under this number. If the caller has gone meanwhile it is given up.
  void made(std::string number) {
    {
      const std::scoped_lock lock{guard_};
      if (!gone_) {
        number_ = std::move(number);
        return;
      }
    }
    api_->give_up(number);
  }
  /// The caller has gone. What may take long is left to give_up().
  void leave() {
    const std::scoped_lock lock{guard_};
    gone_ = true;
  }
  [[nodiscard]] bool is_gone() const {
    const std::scoped_lock lock{guard_};
    return gone_;
  }
  /// Nothing is done if it was answered.
  void give_up() {
    std::string number;
    {
      const std::scoped_lock lock{guard_};
      gone_ = true;
      number.swap(number_);
    }
    if (!number.empty()) api_->give_up(number);
  }

 private:
  const std::shared_ptr<bus::connection> api_;
  mutable std::mutex guard_;
  std::string number_;  ///< Guarded by guard_, as is gone_.
  bool gone_ = false;
};

}  // namespace argosy::rpc
