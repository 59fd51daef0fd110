// SPDX-License-Identifier: Apache-2.0
// Walks at random through the model of taking over.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "tests/unit/takeover/takeover_model.hpp"

namespace argosy::takeover {

struct walk_limits {
  /// All steps of all walks, those after the faults not counted.
  std::uint64_t steps = 100'000;
  int longest = 110;
  std::uint64_t first_seed = 1;
  /// After so many violations the shortest is good enough.
  int enough_violations = 1;
  /// Looks whether somebody serves once faults stop.
  bool looks_for_life = true;
};

struct walk_result {
  std::uint64_t walks = 0;
  std::uint64_t steps = 0;
  std::uint64_t commits = 0;
  std::uint64_t claims = 0;
  int violations = 0;
  /// The shortest walk that violated something, a sentence for each step.
  std::string violation;
  std::string trace;
  int length = 0;
  std::uint64_t seed = 0;
};

walk_result walk(const rules& rules, const setting& setting, const walk_limits& limits);

}  // namespace argosy::takeover
