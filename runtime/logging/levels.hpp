// SPDX-License-Identifier: Apache-2.0
// Levels of components that are changed while the process runs, for a time or until the next
// setup(). They are there for whoever looks for a fault, so that no file is written.
#pragma once

#include <chrono>
#include <string>
#include <string_view>
#include <vector>

#include "runtime/logging/logger.hpp"

namespace argosy::logging {

/// Changes the level of a component, or of all for an empty name. With the first call of
/// end_level_changes() or levels() after `for_time` it is again what setup() was told; 0: it stays.
/// Fails with ec::not_found for a component that no logger has; the error lists those that there
/// are.
[[nodiscard]] result<void> set_level(std::string_view component, level wanted,
                                     std::chrono::nanoseconds for_time);

/// Ends the changes whose time is over. Somebody has to call it now and then.
void end_level_changes();

struct component_level {
  std::string component;
  level now = level::info;
  bool changed = false;             ///< Whether it differs from what setup() was told.
  std::chrono::nanoseconds left{};  ///< How long it will; 0: without an end.
};

/// The levels of all components, by name.
[[nodiscard]] std::vector<component_level> levels();

}  // namespace argosy::logging
