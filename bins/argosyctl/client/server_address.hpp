// SPDX-License-Identifier: Apache-2.0
// Finds the server for argosyctl, in this order: --server, the context of the file that --config
// names, ARGOSY_SERVER, the context of argosyctl's or of armadactl's configuration file, and the
// server that this user last started with `argosyd --dev` on this machine.
#pragma once

#include <optional>
#include <string>

#include "bins/argosyctl/client/contexts.hpp"
#include "bins/argosyctl/client/environment.hpp"

namespace argosy::ctl {

/// What the command line says about the server. Empty options were not given.
struct server_choice {
  std::string server;
  std::string armada_url;  ///< The flag --armadaUrl.
  std::string context;
  std::string armada_config;  ///< The flag --config: the only file to look into.
};

struct server_address {
  std::string url;      ///< Such as nats://127.0.0.1:4222.
  std::string said_by;  ///< "context 'x' in FILE"; empty when the command line itself says it.
  context from{};       ///< The context that says it; its name is empty if none does.
  /// The file can be used, and this sentence says what is wrong with it; empty if all is well.
  std::string warning{};
};

/// ec::unreachable, naming all places, when none says;
/// ec::invalid_argument for a configuration file that cannot be used, and for the address of a gRPC
/// or HTTP server; ec::not_found for a context that no file has. An armadactl context that was not
/// asked for and names a gRPC server is passed over, except in the file that --config names.
[[nodiscard]] result<server_address> find_server(const environment& env,
                                                 const server_choice& choice);

/// A context in a configuration file's text:
///   currentContext: NAME
///   contexts: { NAME: { server: URL } }
/// with another `key` for "server". An empty `wanted` means the current one; nothing if there is
/// none. ec::not_found for a context that the file does not have.
[[nodiscard]] result<std::optional<context>> find_context(const std::string& yaml,
                                                          const std::string& wanted,
                                                          const std::string& file,
                                                          const std::string& key);

}  // namespace argosy::ctl
