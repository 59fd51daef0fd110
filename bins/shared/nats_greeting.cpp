// SPDX-License-Identifier: Apache-2.0
#include "bins/shared/nats_greeting.hpp"

#include <array>
#include <charconv>
#include <nlohmann/json.hpp>
#include <string_view>

namespace argosy {

namespace {

using version_numbers = std::array<unsigned, 3>;

constexpr version_numbers oldest_with_copies{2, 10, 23};

/// The numbers before a suffix such as "-RC.1"; what is missing is 0.
version_numbers numbers_of(std::string_view version) {
  version_numbers out{};
  for (auto& number : out) {
    const auto* const end = version.data() + version.size();
    const auto [at, failed] = std::from_chars(version.data(), end, number);
    if (failed != std::errc{} || at == end || *at != '.') break;
    version.remove_prefix(static_cast<std::size_t>(at - version.data()) + 1);
  }
  return out;
}

}  // namespace

result<nats_greeting> parse_greeting(const std::string& line) {
  constexpr std::string_view begin = "INFO ";
  if (!line.starts_with(begin)) return fail(ec::corrupt, "it does not greet as a nats-server does");
  const auto told = nlohmann::json::parse(line.substr(begin.size()), nullptr, false);
  if (!told.is_object()) return fail(ec::corrupt, "its greeting cannot be read");
  const auto text = [&](const char* key) {
    const auto found = told.find(key);
    return found != told.end() && found->is_string() ? found->get<std::string>() : std::string{};
  };
  return nats_greeting{text("server_name"), text("version")};
}

result<nats_greeting> greeting_of(const server_address& where, std::chrono::milliseconds limit) {
  const auto line = greeting_line(where, limit);
  if (!line) return fail(line.error());
  return parse_greeting(*line);
}

result<void> check_copies(const nats_greeting& server, const std::string& place) {
  if (numbers_of(server.version) >= oldest_with_copies) return {};
  return fail(ec::conflict,
              "the nats-server at " + place + " has version " +
                  (server.version.empty() ? "(unknown)" : server.version) +
                  ", and journal.replicas above 1 needs 2.10.23 or newer on each machine: older "
                  "ones can lose records that they have confirmed; install a newer nats-server, or "
                  "set journal.replicas to 1 with a single server");
}

}  // namespace argosy
