// SPDX-License-Identifier: Apache-2.0
// An array of zeros. Most of its pages are never touched in a round, and those cost nothing.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdlib>
#include <memory>
#include <new>
#include <type_traits>

namespace argosy::scheduling::engine {

template <class Value>
class zeros {
  static_assert(std::is_trivially_copyable_v<Value>);

 public:
  explicit zeros(std::size_t count)
      : values_(static_cast<Value*>(std::calloc(std::max<std::size_t>(1, count), sizeof(Value)))) {
    if (!values_) throw std::bad_alloc();
  }

  [[nodiscard]] Value& operator[](std::size_t at) { return values_[at]; }
  [[nodiscard]] const Value& operator[](std::size_t at) const { return values_[at]; }

 private:
  struct free_deleter {
    void operator()(Value* values) const { std::free(values); }
  };
  std::unique_ptr<Value[], free_deleter> values_;
};

}  // namespace argosy::scheduling::engine
