// SPDX-License-Identifier: Apache-2.0
#include "bins/shared/options.hpp"

#include <cstdlib>
#include <sstream>

#include "runtime/bus/nats/signing.hpp"
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

result<bus::nats_settings> nats_options(const settings::nats_settings& from, std::string name,
                                        const access::identity& as) {
  bus::nats_settings out;
  std::string token;
  if (!from.token_file.empty()) {
    auto text = settings::read_file(from.token_file);
    if (!text) return fail(std::move(text.error()));
    token = text->substr(0, text->find_first_of("\r\n"));
  }
  out.url = with_token(from.url, token);
  if (!from.credentials_file.empty()) {
    if (!token.empty())
      return fail(ec::invalid_argument,
                  "nats.tokenFile and nats.credentialsFile are both set; a server asks for one");
    auto who = access::read_credentials(from.credentials_file);
    if (!who) return fail(ec::invalid_argument, "nats.credentialsFile: " + who.error().detail);
    const bool stands_in = as.what == access::party::agent && who->who.what == access::party::user;
    if (who->who != as && !stands_in)
      return fail(ec::invalid_argument, "nats.credentialsFile: '" + from.credentials_file +
                                            "' is for " + to_string(who->who) +
                                            " and not for this program");
    if (stands_in && who->tenant)
      return fail(no_agent(from, "the tenant " + to_string(who->who), as.name));
    if (auto ready = bus::sign_as(*who, out); !ready) return fail(std::move(ready.error()));
    // An owner who stands in for an agent is answered where the agent is.
    out.inbox_prefix = access::inbox_prefix(as);
  }
  out.ca_file = from.ca_file;
  out.certificate_file = from.certificate_file;
  out.key_file = from.key_file;
  out.name = std::move(name);
  out.on_error = [](const std::string& text) {
    bus_logger.warning("the connection reports", logging::kv("error", text));
  };
  out.connect_timeout = from.connect_timeout;
  out.ping_interval = from.ping_interval;
  out.pings_out = static_cast<int>(from.pings_out_max);
  return out;
}

error no_agent(const settings::nats_settings& from, const std::string& who,
               const std::string& cluster) {
  return {ec::invalid_argument,
          "nats.credentialsFile: '" + from.credentials_file + "' is for " + who +
              ", to whom the nats-server gives nothing that an agent says or hears; name the file "
              "of agent/" +
              cluster + ", which `argosyd init --add-cluster " + cluster + "` makes"};
}

std::filesystem::path user_state_dir() {
  if (const char* state = std::getenv("XDG_STATE_HOME"); state != nullptr && *state != '\0')
    return std::filesystem::path{state} / "argosy";
  const char* home = std::getenv("HOME");
  return std::filesystem::path{home != nullptr ? home : "/"} / ".local" / "state" / "argosy";
}

}  // namespace argosy
