// SPDX-License-Identifier: Apache-2.0
// A credentials file: who a process is, and the secret seed that proves it. Its text has the lines
// "identity: user/alice" and "seed: SU...". The file of the control plane also has a line
// "order-seed: SU...", by which it signs orders; that of whoever may be an agent has a line
// "order-key: U..." for each key whose orders it obeys, and that of a tenant a line "role: tenant".
#pragma once

#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

#include "runtime/access/identity.hpp"
#include "runtime/base/result.hpp"

namespace argosy::access {

struct credentials {
  identity who{};
  std::string seed{};
  std::string order_seed{};               ///< Empty: orders are not signed.
  std::vector<std::string> order_keys{};  ///< None: orders are not checked.
  /// Whether the user is a tenant, who has subjects of his own. It gives him nothing: the
  /// nats-server knows which subjects his key may use.
  bool tenant = false;
};

[[nodiscard]] std::string print_credentials(const credentials& from);
/// ec::invalid_argument; the text is never repeated in it.
[[nodiscard]] result<credentials> parse_credentials(std::string_view text);

/// Reads a file. ec::not_found; ec::denied when it cannot be read, or when everybody can;
/// ec::invalid_argument when it is none. Each names the file.
[[nodiscard]] result<credentials> read_credentials(const std::filesystem::path& file);

/// Writes a file that only its owner can read (mode 0600), and makes its folder (0700). If
/// `replace` is false and there is one, fails with ec::conflict.
[[nodiscard]] result<void> write_private(const std::filesystem::path& file, std::string_view text,
                                         bool replace);

/// Where the credentials for a server are kept in a user's state folder:
/// <state>/credentials/<host>-<port>. Empty for a URL without one host and port.
[[nodiscard]] std::filesystem::path kept_credentials(const std::filesystem::path& state_dir,
                                                     std::string_view url);

}  // namespace argosy::access
