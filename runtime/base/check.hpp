// SPDX-License-Identifier: Apache-2.0
// ARGOSY_CHECK: checks what must hold unless a programmer erred. It is always on, logs to stderr
// and aborts. It is never used for input from a user, a file or the wire.
#pragma once

namespace argosy::detail {

[[noreturn]] void check_failed(const char* condition, const char* file, int line) noexcept;

}  // namespace argosy::detail

#define ARGOSY_CHECK(condition)                        \
  (static_cast<bool>(condition) ? static_cast<void>(0) \
                                : ::argosy::detail::check_failed(#condition, __FILE__, __LINE__))
