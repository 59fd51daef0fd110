// SPDX-License-Identifier: Apache-2.0
// Functions that wait to be run on one thread. It outlives its owner as long as somebody may still
// post: what comes after it was closed is dropped.
#pragma once

#include <chrono>
#include <condition_variable>
#include <functional>
#include <future>
#include <memory>
#include <mutex>
#include <utility>
#include <vector>

namespace argosy::backends {

class mailbox {
 public:
  using letter = std::function<void()>;

  void post(letter what) {
    const std::lock_guard guard{mutex_};
    if (closed_) return;
    letters_.push_back(std::move(what));
    // Waking a thread costs more than most letters.
    if (letters_.size() == 1 && !gathering_) wake_.notify_one();
  }

  /// What has come in so far.
  [[nodiscard]] std::vector<letter> take() {
    const std::lock_guard guard{mutex_};
    return std::exchange(letters_, {});
  }

  /// Waits for a letter, for so long at most. Returns false once it is closed.
  [[nodiscard]] bool wait(std::chrono::nanoseconds span) {
    std::unique_lock guard{mutex_};
    wake_.wait_for(guard, span, [this] { return closed_ || !letters_.empty(); });
    return !closed_;
  }

  /// Lets further letters come for so long, unless it is closed meanwhile.
  void gather(std::chrono::nanoseconds span) {
    std::unique_lock guard{mutex_};
    gathering_ = true;
    wake_.wait_for(guard, span, [this] { return closed_; });
    gathering_ = false;
  }

  void close() {
    std::vector<letter> dropped;
    const std::lock_guard guard{mutex_};
    closed_ = true;
    dropped.swap(letters_);
    wake_.notify_all();
  }

 private:
  std::mutex mutex_;
  std::condition_variable wake_;
  std::vector<letter> letters_;
  bool gathering_ = false;
  bool closed_ = false;
};

}  // namespace argosy::backends
