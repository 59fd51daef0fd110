// SPDX-License-Identifier: Apache-2.0
// A concern_log decides which concerns get a line in the log, so that each is told when it comes,
// now and then while it lasts, and when it has gone.
#pragma once

#include <chrono>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "runtime/base/clock.hpp"
#include "runtime/health/concern.hpp"

namespace argosy {

class concern_log {
 public:
  /// What is bad is told again after this time, the rest once a day.
  static constexpr std::chrono::hours bad_pause{1};
  static constexpr std::chrono::hours pause{24};

  struct line {
    health::concern what;
    bool gone = false;
  };

  /// What to tell when these are all concerns that there are `now`.
  [[nodiscard]] std::vector<line> look(const health::concerns& all, boot_time now);

 private:
  struct told {
    health::concern what;
    boot_time again{};  ///< When it is told again.
  };
  std::map<std::pair<std::string, std::string>, told> told_;  ///< By kind and what it is about.
};

}  // namespace argosy
