// SPDX-License-Identifier: Apache-2.0
#include "bins/argosyctl/verbs/session.hpp"

#include "bins/argosyctl/client/server_address.hpp"

namespace argosy::ctl {

result<client*> session::server() {
  if (!connected) {
    auto url = find_server(env, {flags.server, flags.context});
    if (!url) return fail(std::move(url.error()));
    auto made = connect({*url, timeout, verb});
    if (!made) return fail(std::move(made.error()));
    connected = std::move(*made);
  }
  return connected.get();
}

}  // namespace argosy::ctl
