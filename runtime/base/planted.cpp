// SPDX-License-Identifier: Apache-2.0
#include "runtime/base/planted.hpp"

#ifdef ARGOSY_PLANTED_FAULTS

namespace argosy {

namespace {

planted_fault chosen = planted_fault::none;

}  // namespace

bool is_planted(planted_fault which) noexcept {
  return which == chosen;
}

void plant(planted_fault which) noexcept {
  chosen = which;
}

}  // namespace argosy

#endif
