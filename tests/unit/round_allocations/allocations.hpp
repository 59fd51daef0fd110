// SPDX-License-Identifier: Apache-2.0
// What this program has asked operator new for so far.
#pragma once

#include <cstddef>

namespace argosy::scheduling {

extern std::size_t allocations;
extern std::size_t allocated_bytes;

}  // namespace argosy::scheduling
