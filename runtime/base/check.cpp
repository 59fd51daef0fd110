// SPDX-License-Identifier: Apache-2.0
#include "runtime/base/check.hpp"

#include <cstdio>
#include <cstdlib>

namespace argosy::detail {

void check_failed(const char* condition, const char* file, int line) noexcept {
  std::fprintf(stderr, "%s:%d: check failed: %s\n", file, line, condition);
  std::abort();
}

}  // namespace argosy::detail
