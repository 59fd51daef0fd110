// SPDX-License-Identifier: Apache-2.0
// The limits that a nats-server has for its clients, as lines of its configuration, and those that
// `argosyd init` wrote before. What somebody has written himself is none of these. Pure.
#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace argosy::access {

/// The line that a server that runs takes when it reads its configuration again. It refuses the
/// whole configuration for the sake of each of the others.
[[nodiscard]] std::string connections_line();
/// All of them.
[[nodiscard]] std::string limit_lines();

/// Which limits of this configuration are those of an older version, as a clause; empty: none.
[[nodiscard]] std::string older_limits(std::string_view conf);
/// The configuration with today's limits in place of these; all else in it stays. Nothing if there
/// are none.
[[nodiscard]] std::optional<std::string> with_limits(std::string_view conf);

}  // namespace argosy::access
