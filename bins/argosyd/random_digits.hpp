// SPDX-License-Identifier: Apache-2.0
// This file declares how ids are made that nobody else has.
#pragma once

#include <iomanip>
#include <sstream>
#include <string>

#include "runtime/base/random.hpp"

namespace argosy::argosyd {

/// Hexadecimal digits, 16 for each of the numbers of which they are made.
[[nodiscard]] inline std::string random_digits(int numbers) {
  system_random random;
  std::ostringstream out;
  out << std::hex << std::setfill('0');
  for (int i = 0; i < numbers; ++i) out << std::setw(16) << random.next();
  return out.str();
}

}  // namespace argosy::argosyd
