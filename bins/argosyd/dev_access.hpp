// SPDX-License-Identifier: Apache-2.0
// This file declares the keys of the nats-server of `argosyd --dev`, which lets in this process and
// the user who started it.
#pragma once

#include <filesystem>
#include <string>

#include "runtime/access/credentials.hpp"
#include "runtime/base/result.hpp"

namespace argosy::argosyd {

struct dev_access {
  access::credentials control_plane;
  /// The user is an operator and may be the agent of any cluster.
  access::credentials owner;
  /// The `accounts` block of the server's configuration.
  std::string accounts;
};

/// Reads both keys from the folder of the server, or makes them and writes them there (mode 0600),
/// so that agents and clients stay known across restarts. A file that is damaged is replaced.
[[nodiscard]] result<dev_access> open_dev_access(const std::filesystem::path& folder);

/// The login name of the user as a name that NATS takes, or "owner".
[[nodiscard]] std::string login_name();

}  // namespace argosy::argosyd
