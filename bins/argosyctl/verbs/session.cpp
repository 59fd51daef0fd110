// SPDX-License-Identifier: Apache-2.0
#include "bins/argosyctl/verbs/session.hpp"

#include <thread>

#include "bins/argosyctl/client/server_address.hpp"

namespace argosy::ctl {

namespace {

constexpr std::chrono::milliseconds retry_period{100};

/// Who did not write the address himself has to know where it stands.
error with_place(error why, const server_address& at) {
  if (!at.said_by.empty()) why.detail += " (the address is that of " + at.said_by + ")";
  return why;
}

}  // namespace

result<client*> session::server() {
  if (connected) return connected.get();
  const auto at =
      find_server(env, {flags.server, flags.armada_url, flags.context, flags.armada_config});
  if (!at) return fail(at.error());
  if (!at->warning.empty()) out.notice("warning: " + at->warning);
  const auto deadline = std::chrono::steady_clock::now() + timeout;
  while (true) {
    auto made = connect({at->url, timeout, verb, at->credentials, at->ca_file});
    if (made) {
      connected = std::move(*made);
      out.status("");
      return connected.get();
    }
    const bool again = patient && made.error().code == ec::unreachable && !is_interrupted() &&
                       std::chrono::steady_clock::now() + retry_period < deadline;
    if (!again) return fail(with_place(std::move(made.error()), *at));
    out.status("the server is away; waiting for it…");
    std::this_thread::sleep_for(retry_period);
  }
}

bool session::is_agreed(const std::string& what) {
  out.notice("This will " + what + ". Go on? [y/N]");
  std::string line;
  std::getline(in, line);
  if (line == "y" || line == "Y" || line == "yes") return true;
  out.notice("nothing was changed");
  return false;
}

}  // namespace argosy::ctl
