// SPDX-License-Identifier: Apache-2.0
#include "bins/shared/options.hpp"

#include <sstream>

#include "runtime/settings/load.hpp"

namespace argosy {

namespace {

const logging::logger bus_logger{"bus"};

/// Puts a token into every URL of the list: "nats://host:1" becomes "nats://token@host:1". A URL
/// that has a user already is left alone.
std::string with_token(const std::string& urls, const std::string& token) {
  std::istringstream in{urls};
  std::string out;
  for (std::string url; std::getline(in, url, ',');) {
    const auto scheme = url.find("://");
    const auto host = scheme == std::string::npos ? 0 : scheme + 3;
    if (!token.empty() && url.find('@') == std::string::npos) url.insert(host, token + "@");
    out += (out.empty() ? "" : ",") + url;
  }
  return out;
}

}  // namespace

logging::options logging_options(const settings::logging_settings& from) {
  logging::options out;
  out.minimum = static_cast<logging::level>(from.level);
  out.format = static_cast<logging::line_format>(from.format);
  out.lines_per_second = from.lines_per_second;
  out.file = from.file;
  for (const auto& [component, name] : from.components)
    if (const auto level = logging::parse_level(name)) out.components[component] = *level;
  return out;
}

result<bus::nats_settings> nats_options(const settings::nats_settings& from, std::string name) {
  bus::nats_settings out;
  std::string token;
  if (!from.token_file.empty()) {
    auto text = settings::read_file(from.token_file);
    if (!text) return fail(std::move(text.error()));
    token = text->substr(0, text->find_first_of("\r\n"));
  }
  out.url = with_token(from.url, token);
  out.ca_file = from.ca_file;
  out.name = std::move(name);
  out.on_error = [](const std::string& text) {
    bus_logger.warning("the connection reports", logging::kv("error", text));
  };
  out.connect_timeout = from.connect_timeout;
  out.ping_interval = from.ping_interval;
  out.pings_out = static_cast<int>(from.pings_out_max);
  return out;
}

}  // namespace argosy
