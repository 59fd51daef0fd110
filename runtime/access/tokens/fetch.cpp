// SPDX-License-Identifier: Apache-2.0
#include "runtime/access/tokens/fetch.hpp"

#include <algorithm>

namespace argosy::access {

namespace {

/// "127.0.0.1" of "http://127.0.0.1:80/x"; empty for what is no plain URL with a host.
std::string_view host_of(std::string_view url) {
  const auto scheme_end = url.find("://");
  if (scheme_end == std::string_view::npos) return {};
  auto host = url.substr(scheme_end + 3);
  host = host.substr(0, host.find_first_of("/?#"));
  // What stands before an '@' is no host, and readers of URLs do not agree on a backslash.
  if (host.find_first_of("@\\") != std::string_view::npos) return {};
  if (host.starts_with('[')) return host.substr(0, host.find(']') + 1);
  return host.substr(0, host.find(':'));
}

bool is_visible(std::string_view url) {
  return std::ranges::all_of(url, [](char c) { return c > ' ' && c < 0x7F; });
}

}  // namespace

bool is_loopback_url(std::string_view url) {
  const auto host = host_of(url);
  return host == "localhost" || host == "127.0.0.1" || host == "[::1]";
}

bool is_safe_url(std::string_view url) {
  if (!is_visible(url) || host_of(url).empty()) return false;
  return url.starts_with("https://") || (url.starts_with("http://") && is_loopback_url(url));
}

}  // namespace argosy::access
