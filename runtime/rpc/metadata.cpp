// SPDX-License-Identifier: Apache-2.0
#include "runtime/rpc/metadata.hpp"

#include <cstdio>

#include "runtime/bus/api_headers.hpp"

namespace argosy::rpc {

namespace {

/// "%" and two digits.
constexpr std::size_t escaped_size = 3;

}  // namespace

std::string metadata(const ::grpc::ServerContextBase& from, std::string_view name) {
  const auto found = from.client_metadata().find({name.data(), name.size()});
  return found == from.client_metadata().end()
             ? std::string{}
             : std::string{found->second.data(), found->second.size()};
}

bus::headers read_metadata(const ::grpc::ServerContextBase& from) {
  bus::headers out;
  const auto take = [&](std::string_view name) {
    if (const auto value = metadata(from, name); !value.empty()) out.set(name, value);
  };
  for (const auto name : bus::callers_choice) take(name);
  take(bus::header::traceparent);
  return out;
}

std::string as_metadata(std::string_view value) {
  std::string out;
  for (std::size_t at = 0; at < value.size();) {
    const auto byte = static_cast<unsigned char>(value[at]);
    // An escape is not divided, and is longer than any other step.
    if (out.size() + escaped_size > metadata_value_max) break;
    if (byte == '%' && at + escaped_size <= value.size()) {
      out += value.substr(at, escaped_size);
      at += escaped_size;
      continue;
    }
    if (byte >= ' ' && byte <= '~') {
      out.push_back(value[at]);
    } else {
      char escaped[8];
      std::snprintf(escaped, sizeof escaped, "%%%02X", static_cast<unsigned>(byte));
      out += escaped;
    }
    ++at;
  }
  return out;
}

void write_metadata(const bus::headers& from, ::grpc::ServerContextBase& to) {
  for (const auto name : bus::told_beside)
    if (const auto value = from.get(name))
      to.AddInitialMetadata(std::string{name}, as_metadata(*value));
}

}  // namespace argosy::rpc
