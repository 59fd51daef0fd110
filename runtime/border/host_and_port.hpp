// SPDX-License-Identifier: Apache-2.0
// This file declares how it is read where a server listens.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "runtime/base/whole_number.hpp"

namespace argosy {

struct host_and_port {
  std::string host;  ///< Without brackets.
  std::uint16_t port = 0;
};

/// Reads "HOST:PORT" or "[V6]:PORT"; nothing for any other text. What the host is, is not looked
/// at.
[[nodiscard]] inline std::optional<host_and_port> read_host_and_port(std::string_view text) {
  const auto colon = text.rfind(':');
  if (colon == text.npos) return std::nullopt;
  const auto port = whole_number<std::uint16_t>(text.substr(colon + 1));
  auto host = text.substr(0, colon);
  if (host.starts_with('[') && host.ends_with(']')) host = host.substr(1, host.size() - 2);
  if (!port || host.empty()) return std::nullopt;
  return host_and_port{std::string{host}, *port};
}

}  // namespace argosy
