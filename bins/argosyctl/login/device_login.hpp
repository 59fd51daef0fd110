// SPDX-License-Identifier: Apache-2.0
// Logs a user in who finishes it in a browser, perhaps on another machine: shows him an address and
// a code, and asks the provider until he has.
#pragma once

#include <chrono>
#include <functional>
#include <optional>

#include "bins/argosyctl/login/provider.hpp"

namespace argosy::ctl {

/// What a login needs of the world around it.
struct login_world {
  access::fetch_function fetch;
  std::function<void(const device_code&)> show;  ///< Tells the user what to do.
  std::function<void(std::chrono::milliseconds)> wait;
  std::function<bool()> stopped;      ///< Whether Ctrl-C was pressed.
  std::function<std::int64_t()> now;  ///< The Unix time in seconds.
  /// How long the user may take; nothing: as long as the code is good.
  std::optional<std::chrono::milliseconds> limit{};
};

/// ec::denied if there will be no token, ec::timeout at the limit, ec::cancelled after Ctrl-C, and
/// what find_provider() says.
[[nodiscard]] result<login_token> log_in(const context& from, const login_world& world);

}  // namespace argosy::ctl
