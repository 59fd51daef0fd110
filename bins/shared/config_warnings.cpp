// SPDX-License-Identifier: Apache-2.0
#include "bins/shared/config_warnings.hpp"

#include <netdb.h>
#include <sys/socket.h>
#include <unistd.h>

#include <cerrno>
#include <filesystem>
#include <iostream>

#include "runtime/access/certificate.hpp"
#include "runtime/logging/levels.hpp"
#include "runtime/logging/logger.hpp"
#include "runtime/settings/checks/address.hpp"
#include "runtime/settings/checks/variables.hpp"
#include "runtime/settings/checks/warnings.hpp"

namespace argosy {

namespace {

const logging::logger settings_logger{"settings"};

/// What keeps a server from listening at this host; empty if nothing does.
std::string fault_of_host(const std::string& host) {
  addrinfo wanted{};
  wanted.ai_socktype = SOCK_STREAM;
  wanted.ai_flags = AI_PASSIVE;
  addrinfo* found = nullptr;
  if (::getaddrinfo(host.c_str(), "0", &wanted, &found) != 0)
    return "no address is known for the name '" + host + "'";
  bool here = false;
  for (const auto* one = found; one != nullptr && !here; one = one->ai_next) {
    const int tried = ::socket(one->ai_family, SOCK_STREAM | SOCK_CLOEXEC, 0);
    if (tried < 0) continue;
    here = ::bind(tried, one->ai_addr, one->ai_addrlen) == 0 || errno != EADDRNOTAVAIL;
    ::close(tried);
  }
  ::freeaddrinfo(found);
  return here ? std::string{} : "this machine does not have the address " + host;
}

template <class T>
std::vector<std::string> of_machine(const settings::loaded<T>& all) {
  std::vector<std::string> out;
  for (const auto& [key, listen] : settings::listen_addresses(all.value)) {
    if (listen == "off") continue;
    if (const auto fault = fault_of_host(settings::host_of(listen)); !fault.empty())
      out.push_back(settings::placed(key + " is " + listen + ", but " + fault, all.origins));
  }
  std::error_code failed;
  for (const auto& [key, path] : settings::files_read(all.value))
    if (!path.empty() && !std::filesystem::exists(path, failed))
      out.push_back(
          settings::placed(key + " names '" + path + "', which is not there", all.origins));
    else if (const auto fit = access::check_regular_file(path); !fit)
      out.push_back(settings::placed(key + ": " + fit.error().detail, all.origins));
  // Below /dev there are the terminal, what the program was started with, and nothing.
  if (const auto& file = all.value.logging.file; !file.starts_with("/dev/"))
    if (const auto fit = access::check_regular_file(file); !fit)
      out.push_back(settings::placed("logging.file: " + fit.error().detail, all.origins));
  return out;
}

template <class T>
std::vector<std::string> everywhere(const settings::loaded<T>& all) {
  auto out = settings::warnings_of(all);
  std::vector<std::string> components;
  for (const auto& one : logging::levels()) components.push_back(one.component);
  for (const auto& text : settings::unknown_components(all.value.logging, components))
    out.push_back(settings::placed(text, all.origins));
  for (auto& text : settings::unknown_variables(settings::system_variables()))
    out.push_back(std::move(text));
  return out;
}

void print(const std::vector<std::string>& warnings) {
  for (const auto& text : warnings) std::cerr << "warning: " << text << '\n';
}

}  // namespace

std::vector<std::string> config_warnings(const settings::loaded<settings::argosyd_settings>& all) {
  return everywhere(all);
}

std::vector<std::string> config_warnings(const settings::loaded<settings::agent_settings>& all) {
  return everywhere(all);
}

void print_check(const settings::loaded<settings::argosyd_settings>& all,
                 const std::vector<std::string>& more) {
  print(config_warnings(all));
  print(of_machine(all));
  print(more);
  std::cout << "the configuration is valid\n";
}

void print_check(const settings::loaded<settings::agent_settings>& all) {
  print(config_warnings(all));
  print(of_machine(all));
  std::cout << "the configuration is valid\n";
}

void log_warnings(const std::vector<std::string>& warnings) {
  for (const auto& text : warnings)
    settings_logger.warning("a setting is dangerous or does nothing", logging::kv("what", text));
}

}  // namespace argosy
