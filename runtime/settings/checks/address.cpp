// SPDX-License-Identifier: Apache-2.0
#include "runtime/settings/checks/address.hpp"

#include <arpa/inet.h>

#include <algorithm>
#include <cctype>
#include <sstream>

#include "runtime/base/whole_number.hpp"

namespace argosy::settings {

namespace {

bool is_v6(const std::string& host) {
  in6_addr parsed{};
  // Behind '%' stands the interface of a link-local address.
  return ::inet_pton(AF_INET6, host.substr(0, host.find('%')).c_str(), &parsed) == 1;
}

bool is_v4(const std::string& host) {
  in_addr parsed{};
  return ::inet_pton(AF_INET, host.c_str(), &parsed) == 1;
}

bool is_letter(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
}

bool is_digit(char c) {
  return c >= '0' && c <= '9';
}

/// Host and port of an address, without what stands before and behind them.
std::string_view place_of(std::string_view address) {
  if (const auto scheme = address.find("://"); scheme != std::string_view::npos)
    address.remove_prefix(scheme + 3);
  // A user's secret may have slashes.
  if (const auto user = address.rfind('@'); user != std::string_view::npos)
    address.remove_prefix(user + 1);
  return address.substr(0, address.find_first_of("/?#"));
}

}  // namespace

std::string host_of(std::string_view address) {
  const auto place = place_of(address);
  if (place.starts_with('[')) {
    const auto end = place.find(']');
    return end == std::string_view::npos ? std::string{} : std::string{place.substr(1, end - 1)};
  }
  return std::string{place.substr(0, place.find(':'))};
}

std::string port_of(std::string_view address) {
  const auto place = place_of(address);
  const auto colon = place.find(':', place.starts_with('[') ? place.find(']') : 0);
  return colon == std::string_view::npos ? std::string{} : std::string{place.substr(colon + 1)};
}

bool is_host(std::string host) {
  if (is_v4(host) || is_v6(host)) return true;
  // The dot of the root ends a name that is looked up as it stands.
  if (host.ends_with('.')) host.pop_back();
  const auto last = host.substr(host.rfind('.') + 1);
  if (last.empty() || std::ranges::all_of(last, is_digit)) return false;
  const bool plain = std::ranges::all_of(
      host, [](char c) { return is_letter(c) || is_digit(c) || c == '-' || c == '_' || c == '.'; });
  return plain && host.size() <= 253 && host.front() != '.' && host.front() != '-' &&
         host.find("..") == std::string::npos;
}

bool is_loopback(const std::string& host) {
  return host == "localhost" || host == "localhost." || host == "::1" ||
         (is_v4(host) && host.starts_with("127."));
}

std::vector<std::string> parts_of(const std::string& text, char separator) {
  std::vector<std::string> out;
  std::istringstream in{text};
  for (std::string one; std::getline(in, one, separator);) {
    while (one.starts_with(' ')) one.erase(0, 1);
    while (one.ends_with(' ')) one.pop_back();
    if (!one.empty()) out.push_back(std::move(one));
  }
  return out;
}

namespace {

complaint check_nats_url(const std::string& url) {
  constexpr auto form = " is not nats://HOST:PORT or tls://HOST:PORT";
  const auto scheme = url.find("://");
  if (scheme != std::string::npos && !url.starts_with("nats://") && !url.starts_with("tls://"))
    return "'" + url.substr(0, scheme) + "://'" + form;
  auto rest = scheme == std::string::npos ? url : url.substr(scheme + 3);
  if (const auto user = rest.rfind('@'); user != std::string::npos) rest.erase(0, user + 1);
  if (rest.ends_with('/')) rest.pop_back();
  // What stands before the host may be secret.
  if (!is_host(host_of(rest)) || rest.find('/') != std::string::npos)
    return "'" + rest + "'" + form;
  const auto colon = rest.rfind(':');
  const bool has_port = colon != std::string::npos && rest.find(']', colon) == std::string::npos;
  if (has_port && !whole_number<std::uint16_t>(rest.substr(colon + 1)))
    return "'" + rest + "'" + form;
  return std::nullopt;
}

/// Whether browsers write what stands behind the host: nothing, or a port that is not the scheme's
/// own.
bool is_named_port(std::string_view place, std::uint16_t own) {
  const auto port = port_of(place);
  if (port.empty()) return !place.ends_with(':');
  const auto number = whole_number<std::uint16_t>(port);
  return number && *number != own && std::to_string(*number) == port;
}

}  // namespace

complaint check_nats_urls(const std::string& urls) {
  for (const auto& url : parts_of(urls, ','))
    if (auto wrong = check_nats_url(url)) return wrong;
  return std::nullopt;
}

complaint check_origins(const std::vector<std::string>& origins) {
  for (const auto& origin : origins) {
    const auto scheme = origin.starts_with("https://")  ? std::size_t{8}
                        : origin.starts_with("http://") ? std::size_t{7}
                                                        : std::size_t{0};
    const auto rest = origin.substr(scheme);
    const bool lower = std::ranges::none_of(
        origin, [](char c) { return std::isupper(static_cast<unsigned char>(c)) != 0; });
    const std::uint16_t own_port = scheme == 8 ? 443 : 80;
    if (scheme == 0 || !lower || !is_host(host_of(rest)) || !is_named_port(rest, own_port) ||
        rest.find_first_of("/?#@*") != std::string::npos)
      return "'" + origin +
             "' is no origin as browsers name it, so that no page ever has it: write "
             "https://HOST or https://HOST:PORT in small letters, without the port that https has "
             "by itself and without anything behind";
  }
  return std::nullopt;
}

}  // namespace argosy::settings
