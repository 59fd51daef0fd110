// SPDX-License-Identifier: Apache-2.0
// An array of zeros that can grow. Most of its pages are never touched, and those cost nothing.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdlib>
#include <memory>
#include <new>
#include <type_traits>
#include <utility>

namespace argosy::scheduling::engine {

template <class Value>
class zeros {
  static_assert(std::is_trivially_copyable_v<Value>);

 public:
  explicit zeros(std::size_t count) : count_(count), values_(make(count)) {}

  /// Has room for at least so many values.
  void grow(std::size_t count) {
    if (count <= count_) return;
    const auto next = std::max(count, count_ + count_ / 2);
    auto more = make(next);
    std::copy_n(values_.get(), count_, more.get());
    values_ = std::move(more);
    count_ = next;
  }

  [[nodiscard]] Value* begin() { return values_.get(); }
  [[nodiscard]] Value& operator[](std::size_t at) { return values_[at]; }
  [[nodiscard]] const Value& operator[](std::size_t at) const { return values_[at]; }

 private:
  struct free_deleter {
    void operator()(Value* values) const { std::free(values); }
  };
  using array = std::unique_ptr<Value[], free_deleter>;

  static array make(std::size_t count) {
    array made{static_cast<Value*>(std::calloc(std::max<std::size_t>(1, count), sizeof(Value)))};
    if (!made) throw std::bad_alloc();
    return made;
  }

  std::size_t count_;
  array values_;
};

}  // namespace argosy::scheduling::engine
