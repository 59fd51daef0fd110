// SPDX-License-Identifier: Apache-2.0
#include "tests/unit/round_allocations/allocations.hpp"

#include <cstdlib>
#include <new>

namespace argosy::scheduling {

std::size_t allocations = 0;
std::size_t allocated_bytes = 0;

}  // namespace argosy::scheduling

void* operator new(std::size_t size) {
  ++argosy::scheduling::allocations;
  argosy::scheduling::allocated_bytes += size;
  if (void* memory = std::malloc(size == 0 ? 1 : size)) return memory;
  throw std::bad_alloc();
}
void operator delete(void* memory) noexcept {
  std::free(memory);
}
void operator delete(void* memory, std::size_t) noexcept {
  std::free(memory);
}
