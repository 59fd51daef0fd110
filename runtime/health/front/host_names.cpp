// SPDX-License-Identifier: Apache-2.0
#include "runtime/health/front/host_names.hpp"

#include <arpa/inet.h>
#include <netinet/in.h>

#include <algorithm>
#include <cctype>

namespace argosy::health {

namespace {

bool is_address(const std::string& name) {
  in6_addr ignored{};
  return ::inet_pton(AF_INET, name.c_str(), &ignored) == 1 ||
         ::inet_pton(AF_INET6, name.substr(0, name.find('%')).c_str(), &ignored) == 1;
}

}  // namespace

std::string host_name(std::string_view text) {
  if (text.starts_with('['))
    text = text.substr(1, text.find(']') - 1);
  else if (std::ranges::count(text, ':') == 1)
    text = text.substr(0, text.find(':'));
  if (text.ends_with('.')) text.remove_suffix(1);
  std::string out{text};
  std::ranges::transform(out, out.begin(), [](unsigned char c) { return std::tolower(c); });
  return out;
}

host_names::host_names(const std::vector<std::string>& names) : names_{"", "localhost"} {
  for (const auto& each : names) names_.push_back(host_name(each));
}

bool host_names::has(std::string_view host) const {
  const auto name = host_name(host);
  return std::ranges::find(names_, name) != names_.end() || is_address(name);
}

}  // namespace argosy::health
