// SPDX-License-Identifier: Apache-2.0
// How many bytes several holders may have together.
#pragma once

#include <atomic>
#include <cstddef>
#include <memory>
#include <utility>

namespace argosy::rpc {

/// Safe to use from any thread.
class byte_pool {
 public:
  /// What is taken is taken from `whole` as well, if it is not null.
  explicit byte_pool(std::size_t at_most, std::shared_ptr<byte_pool> whole = nullptr)
      : at_most_(at_most), whole_(std::move(whole)) {}
  byte_pool(const byte_pool&) = delete;
  byte_pool& operator=(const byte_pool&) = delete;

  /// Takes the bytes, which give() returns; false: there are not so many.
  [[nodiscard]] bool take(std::size_t bytes) noexcept {
    if (taken_.fetch_add(bytes) + bytes <= at_most_ && (!whole_ || whole_->take(bytes)))
      return true;
    taken_ -= bytes;
    return false;
  }
  void give(std::size_t bytes) noexcept {
    taken_ -= bytes;
    if (whole_) whole_->give(bytes);
  }
  [[nodiscard]] std::size_t taken() const noexcept { return taken_; }

 private:
  const std::size_t at_most_;
  const std::shared_ptr<byte_pool> whole_;
  std::atomic<std::size_t> taken_{0};
};

}  // namespace argosy::rpc
