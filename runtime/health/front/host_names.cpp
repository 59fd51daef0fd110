// SPDX-License-Identifier: Apache-2.0
#include "runtime/health/front/host_names.hpp"

#include <arpa/inet.h>
#include <netdb.h>
#include <netinet/in.h>
#include <sys/socket.h>

#include <algorithm>
#include <cctype>
#include <utility>

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

host_names::host_names(const std::vector<std::string>& names) {
  set(names);
}

void host_names::set(const std::vector<std::string>& names) {
  std::vector<std::string> plain;
  for (const auto& each : names) plain.push_back(host_name(each));
  const std::lock_guard guard{mutex_};
  names_ = std::move(plain);
}

void host_names::keep(std::string_view name) {
  const std::lock_guard guard{mutex_};
  kept_.push_back(host_name(name));
}

bool host_names::has(std::string_view host) const {
  const auto name = host_name(host);
  const auto is_in = [&](const auto& list) { return std::ranges::find(list, name) != list.end(); };
  if (is_address(name)) return true;
  const std::lock_guard guard{mutex_};
  return is_in(kept_) || is_in(names_);
}

std::string full_name_of(const std::string& name) {
  addrinfo wanted{};
  wanted.ai_socktype = SOCK_STREAM;
  wanted.ai_flags = AI_CANONNAME;
  addrinfo* found = nullptr;
  if (::getaddrinfo(name.c_str(), nullptr, &wanted, &found) != 0) return {};
  std::string out = found->ai_canonname == nullptr ? "" : found->ai_canonname;
  ::freeaddrinfo(found);
  return out;
}

void keep_machine(host_names& names, const std::string& own,
                  const std::function<std::string(const std::string&)>& full_name) {
  if (own.empty()) return;
  names.keep(own);
  if (own.find('.') != std::string::npos) return;
  if (const auto full = full_name(own); !full.empty()) names.keep(full);
}

}  // namespace argosy::health
