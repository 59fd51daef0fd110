// SPDX-License-Identifier: Apache-2.0
// This file damages the log of a nats-server that is not running, as a failing disk does.
#pragma once

#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>

namespace argosy::testing {

/// Changes one bit of a record in the first file of messages below the folder: that of the first
/// place behind the middle where this text stands. False if there is none.
inline bool damage_messages(const std::filesystem::path& folder, const std::string& text) {
  for (const auto& entry : std::filesystem::recursive_directory_iterator{folder}) {
    if (entry.path().extension() != ".blk") continue;
    std::ifstream in{entry.path(), std::ios::binary};
    std::string bytes{std::istreambuf_iterator<char>{in}, {}};
    const auto at = bytes.find(text, bytes.size() / 2);
    if (at == std::string::npos) return false;
    bytes[at] = static_cast<char>(bytes[at] ^ 0x10);
    std::ofstream out{entry.path(), std::ios::binary};
    return static_cast<bool>(out.write(bytes.data(), static_cast<std::streamsize>(bytes.size())));
  }
  return false;
}

}  // namespace argosy::testing
