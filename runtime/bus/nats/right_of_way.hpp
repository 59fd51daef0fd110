// SPDX-License-Identifier: Apache-2.0
// Lets what is waited for go before items of streams. All senders of a connection take one lock of
// the library, which is not fair: a loop that sends thousands of items kept it from an answer, and
// from the end of a subscription, for seconds.
#pragma once

#include <atomic>
#include <cstdint>

namespace argosy::bus {

class right_of_way {
 public:
  /// Held while something is sent that goes first.
  class pass {
   public:
    explicit pass(right_of_way& way) noexcept : way_(way) { ++way_.begun_; }
    ~pass() {
      ++way_.through_;
      way_.through_.notify_all();
    }
    pass(const pass&) = delete;
    pass& operator=(const pass&) = delete;

   private:
    right_of_way& way_;
  };

  /// Waits until as many have gone through as had begun to go first when it was called, so that
  /// those who come later do not hold it up.
  void give_way() const noexcept {
    const auto begun = begun_.load();
    for (auto through = through_.load(); through < begun; through = through_.load())
      through_.wait(through);
  }

 private:
  std::atomic<std::uint64_t> begun_{0};
  std::atomic<std::uint64_t> through_{0};
};

}  // namespace argosy::bus
