// SPDX-License-Identifier: Apache-2.0
// Lets few threads at a time do what takes many times the memory of the bytes that it is done with.
#pragma once

#include <condition_variable>
#include <cstddef>
#include <mutex>

namespace argosy::rest {

class few_at_once {
 public:
  /// Returns what `work` returns. Of work with large bytes as much is done at a time as there are
  /// places; all other work is done at once.
  template <class Work>
  auto run(std::size_t bytes, Work&& work) {
    const place held{bytes < large_from ? nullptr : this};
    return work();
  }

 private:
  static constexpr std::size_t large_from = std::size_t{256} << 10;
  static constexpr int places = 2;

  class place {
   public:
    explicit place(few_at_once* of) : of_(of) {
      if (of_ == nullptr) return;
      std::unique_lock lock{of_->guard_};
      of_->free_.wait(lock, [this] { return of_->taken_ < places; });
      ++of_->taken_;
    }
    ~place() {
      if (of_ == nullptr) return;
      const std::scoped_lock lock{of_->guard_};
      --of_->taken_;
      of_->free_.notify_one();
    }
    place(const place&) = delete;
    place& operator=(const place&) = delete;

   private:
    few_at_once* of_;
  };

  std::mutex guard_;
  std::condition_variable free_;
  int taken_ = 0;  ///< Guarded by guard_.
};

}  // namespace argosy::rest
