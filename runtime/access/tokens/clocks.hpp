// SPDX-License-Identifier: Apache-2.0
// The clocks of those who check tokens. Tests set them.
#pragma once

#include <chrono>
#include <functional>

namespace argosy::access {

struct clocks {
  /// By which tokens say from when to when they are good.
  std::function<std::chrono::system_clock::time_point()> wall = [] {
    return std::chrono::system_clock::now();
  };
  /// By which it is known how old an answer is.
  std::function<std::chrono::steady_clock::time_point()> steady = [] {
    return std::chrono::steady_clock::now();
  };
};

}  // namespace argosy::access
