// SPDX-License-Identifier: Apache-2.0
// Names for secrets that are remembered: a keyed hash, whose key is drawn for the process.
#pragma once

#include <string>
#include <string_view>

namespace argosy::access {

class secret_key {
 public:
  /// Draws a key.
  secret_key();
  /// The same for the same text, and of no use outside of this process.
  [[nodiscard]] std::string name_of(std::string_view secret) const;

 private:
  std::string key_;
};

}  // namespace argosy::access
