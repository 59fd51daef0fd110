// SPDX-License-Identifier: Apache-2.0
// A byte_pool bounds the bytes that several holders have together, such as all connections of one
// user.
#pragma once

#include <atomic>
#include <cstddef>
#include <memory>
#include <utility>

namespace argosy::rpc {

/// Safe to use from any thread.
class byte_pool {
 public:
  /// What is taken is taken from `whole` as well, if it is not null. Whoever has some of the whole
  /// leaves as much of it to others, so that there is always something for the next one.
  explicit byte_pool(std::size_t at_most, std::shared_ptr<byte_pool> whole = nullptr)
      : at_most_(at_most), whole_(std::move(whole)) {}
  byte_pool(const byte_pool&) = delete;
  byte_pool& operator=(const byte_pool&) = delete;

  /// Takes the bytes, which give() returns; false: there are not so many.
  [[nodiscard]] bool take(std::size_t bytes) noexcept {
    const auto had = taken_.fetch_add(bytes);
    if (had + bytes <= at_most_ && (!whole_ || whole_->take_and_leave(bytes, had))) return true;
    taken_ -= bytes;
    return false;
  }
  void give(std::size_t bytes) noexcept {
    taken_ -= bytes;
    if (whole_) whole_->give(bytes);
  }
  /// Has bytes that were taken before given back when the last copy of what it returns goes.
  [[nodiscard]] static std::shared_ptr<const void> keep(std::shared_ptr<byte_pool> from,
                                                        std::size_t bytes) {
    return {nullptr, [from = std::move(from), bytes](const void*) { from->give(bytes); }};
  }
  [[nodiscard]] std::size_t taken() const noexcept { return taken_; }
  /// Whether so much is taken that nobody should keep his part for long.
  [[nodiscard]] bool strained() const noexcept { return taken_ > at_most_ / 2; }

 private:
  bool take_and_leave(std::size_t bytes, std::size_t rest) noexcept {
    if (taken_.fetch_add(bytes) + bytes + rest <= at_most_) return true;
    taken_ -= bytes;
    return false;
  }

  const std::size_t at_most_;
  const std::shared_ptr<byte_pool> whole_;
  std::atomic<std::size_t> taken_{0};
};

}  // namespace argosy::rpc
