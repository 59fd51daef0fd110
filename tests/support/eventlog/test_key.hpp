// SPDX-License-Identifier: Apache-2.0
// The keys of logs in tests.
#pragma once

#include <memory>
#include <string>

#include "messages/codec/log/batch_mac.hpp"

namespace argosy::tests {

/// The same text gives the same key.
inline std::shared_ptr<const codec::log_key> test_key(std::string text = "a key") {
  auto place = "'" + text + "'";
  text.resize(codec::log_key::size);
  return std::make_shared<const codec::log_key>(*codec::log_key::from_bytes(text, place));
}

}  // namespace argosy::tests
