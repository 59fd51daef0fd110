// SPDX-License-Identifier: Apache-2.0
// A text that is made for all who ask for it at nearly the same time, so that many who ask cost no
// more than one who asks again and again.
#pragma once

#include <condition_variable>
#include <cstdint>
#include <functional>
#include <memory>
#include <mutex>
#include <string>
#include <utility>

namespace argosy::health {

class shared_text {
 public:
  explicit shared_text(std::function<std::string()> make) : make_(std::move(make)) {}

  /// A text that was begun after the call. One thread makes it; those that wait share the next one.
  [[nodiscard]] std::shared_ptr<const std::string> get() {
    std::unique_lock lock{guard_};
    const auto wanted = begun_ + 1;
    there_is_one_.wait(lock, [&] { return done_ >= wanted || !making_; });
    if (done_ >= wanted) return last_;
    making_ = true;
    const auto mine = ++begun_;
    lock.unlock();
    std::shared_ptr<const std::string> made;
    try {
      made = std::make_shared<const std::string>(make_());
    } catch (...) {
      lock.lock();
      making_ = false;
      there_is_one_.notify_all();
      throw;
    }
    lock.lock();
    last_ = made;
    done_ = mine;
    making_ = false;
    there_is_one_.notify_all();
    return made;
  }

 private:
  const std::function<std::string()> make_;
  std::mutex guard_;  ///< Guards what follows.
  std::condition_variable there_is_one_;
  std::shared_ptr<const std::string> last_;
  std::uint64_t begun_ = 0;
  std::uint64_t done_ = 0;
  bool making_ = false;
};

}  // namespace argosy::health
