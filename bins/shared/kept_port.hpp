// SPDX-License-Identifier: Apache-2.0
// Ports that the system chose, kept in files, so that whoever found a server finds it again after
// its restart.
#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <optional>
#include <string>

#include "runtime/base/result.hpp"

namespace argosy {

/// Calls `start` with the address "HOST:PORT" and returns nothing but its error. With port 0 it
/// tries the port first that `file` names, then any; `start` returns the port that it took, which
/// is written into the file. `what` names the port in warnings, "metrics and health".
[[nodiscard]] result<void> start_on_kept_port(
    std::string listen, const std::filesystem::path& file, const std::string& what,
    const std::function<result<std::uint16_t>(const std::string& listen)>& start);

}  // namespace argosy
