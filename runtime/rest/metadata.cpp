// SPDX-License-Identifier: Apache-2.0
#include "runtime/rest/metadata.hpp"

#include <httplib.h>

#include "runtime/bus/api_headers.hpp"

namespace argosy::rest {

namespace {

std::string header_of(std::string_view name) {
  return "Grpc-Metadata-" + std::string{name};
}

}  // namespace

std::string peer_of(const httplib::Request& from) {
  const auto port = ":" + std::to_string(from.remote_port);
  return from.remote_addr.find(':') == std::string::npos
             ? "ipv4:" + from.remote_addr + port
             : "ipv6:%5B" + from.remote_addr + "%5D" + port;
}

std::string metadata(const httplib::Request& from, std::string_view name) {
  auto plain = from.get_header_value(std::string{name}.c_str());
  return plain.empty() ? from.get_header_value(header_of(name).c_str()) : plain;
}

void read_metadata(const httplib::Request& from, bus::headers& to) {
  for (const auto name : bus::callers_choice)
    if (const auto header = header_of(name); from.has_header(header.c_str()))
      to.set(name, from.get_header_value(header.c_str()));
}

void write_metadata(const bus::headers& from, httplib::Response& to) {
  for (const auto name : bus::told_beside)
    if (const auto value = from.get(name))
      to.set_header(header_of(name).c_str(), std::string{*value});
}

}  // namespace argosy::rest
