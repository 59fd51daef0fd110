// SPDX-License-Identifier: Apache-2.0
#include "runtime/kube/credentials/server_url.hpp"

#include <algorithm>
#include <cstdint>

#include "runtime/base/text.hpp"
#include "runtime/base/whole_number.hpp"

namespace argosy::kube {

namespace {

std::string_view usual_port(std::string_view scheme) {
  return scheme == "https" ? "443" : "80";
}

bool is_host_character(char c) {
  return (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || c == '.' || c == '-' || c == '_';
}

/// Whether it is a name, an IPv4 address, or an IPv6 address in brackets.
bool is_host(std::string_view host) {
  if (host.starts_with('[') && host.ends_with(']') && host.size() > 2)
    return host.substr(1, host.size() - 2).find_first_not_of("0123456789abcdef:.") ==
           std::string_view::npos;
  return !host.empty() && std::ranges::all_of(host, is_host_character);
}

failure bad(std::string_view text, std::string_view why) {
  return fail(ec::invalid_argument, "'" + shown(text) + "' " + std::string{why});
}

}  // namespace

std::string server_url::text() const {
  return scheme + "://" + host + (port == usual_port(scheme) ? "" : ":" + port) + path;
}

bool server_url::is_loopback() const {
  return host == "localhost" || host == "127.0.0.1" || host == "[::1]";
}

result<server_url> read_server_url(std::string_view text) {
  server_url out;
  const auto colon = text.find("://");
  out.scheme = lower_case(text.substr(0, colon == std::string_view::npos ? 0 : colon));
  if (out.scheme != "https" && out.scheme != "http")
    return bad(text, "is not a URL of https; write for example https://10.0.0.1:6443");
  auto rest = text.substr(colon + 3);
  // The message does not repeat the URL, since what stands before an @ may be a password.
  if (rest.find('@') != std::string_view::npos)
    return fail(ec::invalid_argument, "the URL holds a user; put credentials under users:");
  const auto slash = rest.find('/');
  out.path = std::string{slash == std::string_view::npos ? "" : rest.substr(slash)};
  while (out.path.ends_with('/')) out.path.pop_back();
  rest = rest.substr(0, slash);
  const auto port_at = rest.find(':', rest.starts_with('[') ? rest.find(']') : 0);
  out.host = lower_case(rest.substr(0, port_at));
  out.port = std::string{port_at == std::string_view::npos ? usual_port(out.scheme)
                                                           : rest.substr(port_at + 1)};
  if (!is_host(out.host)) return bad(text, "has no valid host; write https://HOST:PORT");
  const auto port = whole_number<std::uint16_t>(out.port);
  if (!port || *port == 0) return bad(text, "has no valid port; write https://HOST:PORT");
  const auto is_odd = [](char c) { return c <= ' ' || c > '~' || c == '?' || c == '#'; };
  if (std::ranges::any_of(out.path, is_odd))
    return bad(text, "has a query, a fragment or an odd character; write https://HOST:PORT/PATH");
  if (out.scheme == "http" && !out.is_loopback())
    return bad(text, "is not encrypted; write https:// (http is for servers on this machine)");
  return out;
}

}  // namespace argosy::kube
