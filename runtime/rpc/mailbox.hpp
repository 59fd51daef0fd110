// SPDX-License-Identifier: Apache-2.0
// What other threads have a loop do. It outlives the loop, so that answers that come late find it.
#pragma once

#include <functional>
#include <mutex>
#include <vector>

#include "runtime/rpc/guest_list.hpp"

namespace argosy::rpc {

class calls;

class mailbox {
 public:
  struct letter {
    connection_id to = 0;  ///< 0: the loop itself.
    std::function<void(calls&)> for_calls{};
    std::function<void()> for_loop{};
  };

  mailbox();
  ~mailbox();
  mailbox(const mailbox&) = delete;
  mailbox& operator=(const mailbox&) = delete;

  /// After close() the letter is dropped. May be called on any thread.
  void post(letter what);
  /// Becomes readable when there is a letter.
  [[nodiscard]] int socket() const noexcept { return wake_; }
  [[nodiscard]] std::vector<letter> take();
  void close();

 private:
  const int wake_;
  std::mutex guard_;  ///< Guards what follows.
  std::vector<letter> letters_;
  bool closed_ = false;
};

}  // namespace argosy::rpc
