// SPDX-License-Identifier: Apache-2.0
#include "tests/fuzz/suite/memory.hpp"

#include <malloc.h>

#include <algorithm>
#include <cstdlib>
#include <new>

namespace argosy::fuzz {

namespace {

// What was held before is given back as well, so that this may be less than nothing.
thread_local std::ptrdiff_t held = 0;
thread_local std::ptrdiff_t peak = 0;

void* allocate(std::size_t size) {
  void* const memory = std::malloc(size == 0 ? 1 : size);
  if (memory == nullptr) throw std::bad_alloc();
  held += static_cast<std::ptrdiff_t>(malloc_usable_size(memory));
  peak = std::max(peak, held);
  return memory;
}

void release(void* memory) noexcept {
  held -= static_cast<std::ptrdiff_t>(malloc_usable_size(memory));
  std::free(memory);
}

}  // namespace

void count_memory() noexcept {
  held = peak = 0;
}

std::size_t memory_peak() noexcept {
  return static_cast<std::size_t>(peak);
}

}  // namespace argosy::fuzz

void* operator new(std::size_t size) {
  return argosy::fuzz::allocate(size);
}
void operator delete(void* memory) noexcept {
  argosy::fuzz::release(memory);
}
void operator delete(void* memory, std::size_t) noexcept {
  argosy::fuzz::release(memory);
}
