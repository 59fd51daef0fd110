// SPDX-License-Identifier: Apache-2.0
// This file declares how the memory is counted that the one thread of the tests has asked for.
#pragma once

#include <cstddef>

namespace argosy::fuzz {

/// Begins to count, from nothing.
void count_memory() noexcept;
/// The most bytes that were held at a time since then.
[[nodiscard]] std::size_t memory_peak() noexcept;

}  // namespace argosy::fuzz
