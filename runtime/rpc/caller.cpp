// SPDX-License-Identifier: Apache-2.0
#include "runtime/rpc/caller.hpp"

namespace argosy::rpc {

namespace {

/// The address as people write it: gRPC says "ipv4:127.0.0.1:53120" and "ipv6:%5B::1%5D:53120".
std::string readable(std::string_view peer) {
  if (const auto colon = peer.find(':'); peer.starts_with("ipv") && colon != std::string_view::npos)
    peer.remove_prefix(colon + 1);
  std::string out{peer};
  for (const auto& [escaped, plain] : {std::pair{"%5B", "["}, std::pair{"%5D", "]"}})
    if (const auto at = out.find(escaped); at != std::string::npos) out.replace(at, 3, plain);
  return out;
}

}  // namespace

void set_way(bus::headers& to, std::string_view via, std::string_view peer) {
  to.set(bus::header::via, via);
  set_text(to, bus::header::peer, readable(peer));
}

}  // namespace argosy::rpc
