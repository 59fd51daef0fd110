// SPDX-License-Identifier: Apache-2.0
// Which server argosyctl talks to: --server, ARGOSY_SERVER, the context, or the server that this
// user last started with `argosyd --dev` on this machine, in this order.
#pragma once

#include <optional>
#include <string>

#include "bins/argosyctl/client/environment.hpp"

namespace argosy::ctl {

/// Empty options were not given on the command line.
struct server_choice {
  std::string server;
  std::string context;
};

/// A URL such as nats://token@127.0.0.1:4222. ec::unreachable, naming all four places, when none
/// says; ec::invalid_argument for a configuration file that cannot be used, ec::not_found for a
/// context that it does not have.
[[nodiscard]] result<std::string> find_server(const environment& env, const server_choice& choice);

/// The server of a context in the configuration file's text:
///   currentContext: NAME
///   contexts: { NAME: { server: URL } }
/// An empty `context` means the current one; nothing if there is none.
[[nodiscard]] result<std::optional<std::string>> server_of_context(const std::string& yaml,
                                                                   const std::string& context,
                                                                   const std::string& file);

}  // namespace argosy::ctl
