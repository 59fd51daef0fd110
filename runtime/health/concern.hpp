// SPDX-License-Identifier: Apache-2.0
// A concern is something about a process that somebody has to look after: a disk that fills, a
// certificate that ends soon. The log, `argosyctl status` and metrics tell the same ones.
#pragma once

#include <string>
#include <vector>

namespace argosy::health {

struct concern {
  bool bad = false;   ///< Something does not work; otherwise it soon will not.
  std::string kind;   ///< For programs, which know it by this name: "certificate", "disk".
  std::string about;  ///< What it is about, so that it stays one though its text changes.
  std::string text;   ///< A sentence without its full stop, which names the fix.

  friend bool operator==(const concern&, const concern&) = default;
};

using concerns = std::vector<concern>;

}  // namespace argosy::health
